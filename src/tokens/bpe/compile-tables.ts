import { BYTE_CHARACTERS } from '../byte-alphabet.js';
import { byteLengthsOf, layOutTokenBytes, stagesOf } from '../token-bytes.js';
import type { Merge, TokenizerJson } from '../tokenizer-json.js';
import { type BpeSettings, type BpeTables, layOutTables } from './bpe-tables.js';
import { CODE_POINTS, fillClasses } from './character-class.js';
import { fillMergeTable, mergeTableCells } from './merge-table.js';
import { SPLIT_KINDS, splitKindOf } from './split-kinds.js';
import { fillVocabIndex, vocabIndexCells } from './vocab-index.js';
import type { WordScanner } from './word-scanner.js';

/** The tables of a tokenizer, or why the engine does not run it. */
export type Compiled = { readonly tables: BpeTables } | { readonly refusal: string };

// The queue of merges keeps ranks in 21 bits.
const MAX_MERGES = 2 ** 21;

/** Compiles a tokenizer.json into tables; whatever the engine does not know for certain is refused by name. */
export function compileTables(json: TokenizerJson): Compiled {
  const settings = settingsOf(json);
  if (typeof settings === 'string') return { refusal: settings };
  const ids = json.vocab;
  const merges = mergeTriples(json, ids);
  if (typeof merges === 'string') return { refusal: merges };
  const byteIds = BYTE_CHARACTERS.map((character) => ids.get(character));
  if (!byteIds.every((id) => id !== undefined)) return { refusal: 'the vocabulary lacks single bytes' };
  const layout = layOutTokenBytes(json);
  const lengths = byteLengthsOf(layout);
  if (lengths === null) return { refusal: 'its tokens are not pieces of the text' };
  const tables = layOutTables(settings, {
    classes: CODE_POINTS,
    byteIds: byteIds.length,
    merges: mergeTableCells(json.merges.length),
    tokenOffsets: layout.offsets.length,
    byteLengths: lengths.length,
    vocabIndex: settings.ignoreMerges ? vocabIndexCells(ids.size) : 0,
    tokenBytes: layout.bytes.length,
  });
  tables.byteIds.set(byteIds);
  tables.tokenOffsets.set(layout.offsets);
  tables.tokenBytes.set(layout.bytes);
  tables.byteLengths.set(lengths);
  fillMergeTable(tables.merges, merges);
  if (settings.ignoreMerges) fillVocabIndex(tables.vocabIndex, ids.values(), layout);
  fillScannerClasses(tables.classes, SPLIT_KINDS[settings.kind].scanner);
  return { tables };
}

function settingsOf(json: TokenizerJson): BpeSettings | string {
  const { model } = json;
  if (model.type !== 'BPE') return `model ${model.type}`;
  if (model.byte_fallback) return 'byte_fallback';
  if ((model.dropout ?? 0) !== 0) return 'dropout';
  if (model.continuing_subword_prefix) return 'continuing_subword_prefix';
  if (model.end_of_word_suffix) return 'end_of_word_suffix';
  if (json.addedTokens.some((token) => token.lstrip)) return 'added tokens with lstrip';
  if (json.addedTokens.some((token) => token.rstrip)) return 'added tokens with rstrip';
  if (json.merges.length >= MAX_MERGES) return `${json.merges.length} merges`;
  const normalizers = stagesOf(json.normalizer).map((stage) => stage.type);
  const unknown = normalizers.find((type) => type !== 'NFC');
  if (unknown !== undefined) return `normalizer ${unknown}`;
  const kind = splitKindOf(json.preTokenizer);
  if (kind === null) return 'an unknown pre-tokenizer';
  return { kind, nfc: normalizers.length > 0, ignoreMerges: model.ignore_merges };
}

/** Left, right and merged id of each merge, or what is wrong. */
function mergeTriples(json: TokenizerJson, ids: ReadonlyMap<string, number>): Int32Array | string {
  const triples = new Int32Array(json.merges.length * 3);
  for (let rank = 0; rank < json.merges.length; rank++) {
    const [left, right] = pairOf(json.merges[rank] ?? '');
    const leftId = ids.get(left);
    const rightId = ids.get(right);
    const merged = ids.get(left + right);
    if (leftId === undefined || rightId === undefined || merged === undefined) {
      return `merge ${rank} with a token outside the vocabulary`;
    }
    triples[rank * 3] = leftId;
    triples[rank * 3 + 1] = rightId;
    triples[rank * 3 + 2] = merged;
  }
  return triples;
}

function pairOf(merge: Merge): readonly [string, string] {
  if (typeof merge !== 'string') return merge;
  const space = merge.indexOf(' ');
  return [merge.slice(0, space), merge.slice(space + 1)];
}

function fillScannerClasses(classes: Uint8Array, { numbers, ranges = [] }: WordScanner): void {
  fillClasses(classes, numbers);
  for (const [first, last, number] of ranges) classes.fill(number, first, last + 1);
}
