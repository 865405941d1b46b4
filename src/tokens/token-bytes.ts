import { writeTokenBytes } from './byte-alphabet.js';
import type { AddedToken, TokenizerJson, TokenizerStage } from './tokenizer-json.js';

/** The bytes of every id: those of id i are `bytes[offsets[i]..offsets[i + 1]]`. */
export interface TokenBytes {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  /** whether the bytes of an encoding, joined, are the UTF-8 of the normalised text */
  readonly exact: boolean;
}

const BYTE_TOKEN = /^<0x([0-9A-F]{2})>$/;

/** Lays out the bytes of the vocabulary and of the added tokens; ids without a token have none. */
export function layOutTokenBytes(json: TokenizerJson): TokenBytes {
  const stages = stagesOf(json.preTokenizer);
  const byteLevel = stages.some((stage) => stage.type === 'ByteLevel');
  const texts: string[] = [];
  const contents: string[] = [];
  let room = 0;
  for (const [text, id] of json.vocab) {
    texts[id] = text;
    room += text.length * 3;
  }
  for (const { content, id } of json.addedTokens) {
    contents[id] = content;
    room += content.length * 3;
  }
  const count = Math.max(texts.length, contents.length);
  const bytes = new Uint8Array(room);
  const offsets = new Uint32Array(count + 1);
  const utf8 = new TextEncoder();
  let end = 0;
  for (let id = 0; id < count; id++) {
    const content = contents[id];
    const text = texts[id] ?? '';
    const byte = json.model.byte_fallback ? BYTE_TOKEN.exec(text)?.[1] : undefined;
    let written = -1;
    if (content === undefined && byte !== undefined) {
      bytes[end] = Number.parseInt(byte, 16);
      written = 1;
    } else if (content === undefined && byteLevel) {
      written = writeTokenBytes(text, bytes, end);
    }
    if (written < 0) written = utf8.encodeInto(content ?? text, bytes.subarray(end)).written;
    end += written;
    offsets[id + 1] = end;
  }
  const strips = json.addedTokens.some((token) => token.lstrip || token.rstrip);
  const exact = json.model.type === 'BPE' && stages.every(keepsText) && !hasAffixes(json) && !strips;
  return { offsets, bytes: bytes.slice(0, end), exact };
}

/** The lengths of `layOutTokenBytes`, or null where they do not add up to the text. */
export function byteLengthsOf(layout: TokenBytes): Uint16Array | null {
  if (!layout.exact) return null;
  const lengths = new Uint16Array(layout.offsets.length - 1);
  for (let id = 0; id < lengths.length; id++) {
    lengths[id] = (layout.offsets[id + 1] ?? 0) - (layout.offsets[id] ?? 0);
  }
  return lengths;
}

/** The bytes of one id as a view; empty for an id without a token. */
export function bytesOfId(layout: Pick<TokenBytes, 'offsets' | 'bytes'>, id: number): Uint8Array {
  return layout.bytes.subarray(layout.offsets[id] ?? 0, layout.offsets[id + 1] ?? 0);
}

/** Content and id of the tokens that are marked special. */
export function specialIds(tokens: readonly AddedToken[]): ReadonlyMap<string, number> {
  return new Map(tokens.filter((token) => token.special).map((token) => [token.content, token.id]));
}

/** A pre-tokenizer or normaliser with its sequences laid flat. */
export function stagesOf(stage: TokenizerStage | null): TokenizerStage[] {
  if (stage === null) return [];
  if (stage.type !== 'Sequence') return [stage];
  const inner = stage['pretokenizers'] ?? stage['normalizers'];
  return Array.isArray(inner) ? (inner as TokenizerStage[]).flatMap(stagesOf) : [];
}

function keepsText(stage: TokenizerStage): boolean {
  if (stage.type === 'ByteLevel') return stage['add_prefix_space'] === false;
  if (stage.type === 'Split') return stage['behavior'] !== 'Removed' || stage['invert'] === true;
  return stage.type === 'Digits';
}

function hasAffixes(json: TokenizerJson): boolean {
  return Boolean(json.model.continuing_subword_prefix) || Boolean(json.model.end_of_word_suffix);
}
