import { lintSource } from '@secretlint/core';
import { rules as presetRules } from '@secretlint/secretlint-rule-preset-recommend';
import { LINT_KINDS, OWN_SECRET_RULES } from './secret-rules.js';

/** A secret in a text, as UTF-16 offsets. */
export interface FoundSecret {
  readonly start: number;
  /** exclusive */
  readonly end: number;
  readonly kind: string;
}

// A log must not be able to switch its own masking off by quoting a `secretlint-disable` comment.
const FILTER_COMMENTS = '@secretlint/secretlint-rule-filter-comments';

const LINT_CONFIG = {
  rules: presetRules
    .filter((rule) => rule.meta.id !== FILTER_COMMENTS)
    .map((rule) => ({ id: rule.meta.id, rule, options: {} })),
};

const ESCAPES_AND_COLOURS =
  /\\+(?:u[0-9a-fA-F]{4}(?:\[[0-9;]*m)?|x1[bB](?:\[[0-9;]*m)?|[nrtbf"'/])|\p{Cc}\[[0-9;]*m/gu;

/**
 * The text with JSON escapes and terminal colours blanked, offsets unchanged: `\nghp_...` and a token after a
 * colour code have a letter before them, behind which no rule would look.
 */
function blankEscapes(text: string): string {
  return text.replace(ESCAPES_AND_COLOURS, (written) => {
    const last = written.at(-1) ?? '';
    return '"\'/'.includes(last) ? ' '.repeat(written.length - 1) + last : ' '.repeat(written.length);
  });
}

async function lint(text: string, found: FoundSecret[]): Promise<void> {
  const result = await lintSource({
    source: { filePath: 'package.json', content: text, contentType: 'text' },
    options: { config: LINT_CONFIG },
  });
  for (const message of result.messages) {
    const known = LINT_KINDS[message.messageId] ?? { kind: message.messageId.toLowerCase() };
    let [start, end] = message.range;
    if (known.datum !== undefined) {
      const data: Readonly<Record<string, unknown>> = message.data ?? {};
      const secret = String(data[known.datum] ?? '');
      start = text.indexOf(secret, start);
      end = start + secret.length;
    }
    if (known.part !== undefined) {
      const match = known.part.exec(text.slice(start, end));
      const secret = match?.[1];
      if (match === null || secret === undefined || known.not === secret) continue;
      start += match.index + match[0].length - secret.length;
      end = start + secret.length;
    }
    found.push({ start, end, kind: known.kind });
  }
}

function applyOwnRules(text: string, found: FoundSecret[]): void {
  for (const { kind, pattern } of OWN_SECRET_RULES) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[1] ?? match[0];
      const start = match.index + match[0].lastIndexOf(secret);
      found.push({ start, end: start + secret.length, kind });
    }
  }
}

const PASSWORD_KINDS = new Set(['url-password', 'database-password']);

/** In order and disjoint; of overlapping findings their union stays, named by the more specific one. */
function merge(found: readonly FoundSecret[]): FoundSecret[] {
  const sorted = [...found].sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: FoundSecret[] = [];
  for (const next of sorted) {
    const last = merged.at(-1);
    if (last === undefined || next.start >= last.end) {
      merged.push(next);
      continue;
    }
    const kind = PASSWORD_KINDS.has(last.kind) ? next.kind : last.kind;
    merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, next.end), kind };
  }
  return merged;
}

/**
 * Every secret of a text, by secretlint's recommended preset and the rules of secret-rules.ts, in order and
 * disjoint. Reads the text as it stands, and once more with its escapes blanked where it has any.
 */
export async function findSecrets(text: string): Promise<readonly FoundSecret[]> {
  const found: FoundSecret[] = [];
  const blanked = blankEscapes(text);
  await lint(text, found);
  applyOwnRules(text, found);
  if (blanked !== text) {
    await lint(blanked, found);
    applyOwnRules(blanked, found);
  }
  return found.length === 0 ? found : merge(found);
}
