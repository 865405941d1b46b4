import { rules as presetRules } from '@secretlint/secretlint-rule-preset-recommend';
import { LINT_KINDS, OWN_SECRET_RULES } from './secret-rules.js';

/** A secret in a text, as UTF-16 offsets. */
export interface FoundSecret {
  readonly start: number;
  /** exclusive */
  readonly end: number;
  readonly kind: string;
}

/** What a secretlint rule reports. */
interface LintReport {
  readonly message: { readonly messageId: string; readonly data: Readonly<Record<string, unknown>> };
  readonly range: readonly [number, number];
}

/** The part of secretlint's rule interface that rules over plain text use. */
interface TextRule {
  readonly meta: { readonly id: string };
  create(
    context: {
      createTranslator(messages: unknown): (messageId: string, data?: object) => LintReport['message'];
      report(report: LintReport): void;
    },
    options: object,
  ): { file(source: { content: string; filePath: string; ext: string }): unknown };
}

let reports: LintReport[] = [];

/**
 * The rules are called directly, not by secretlint's lintSource: that one marks every step in a profiler which
 * keeps all marks and searches them anew at each, so that a long run grows slow and large. The rule for
 * `secretlint-disable` comments is left out: a log must not be able to switch its own masking off.
 */
const RULES = (presetRules as unknown as readonly TextRule[])
  .filter((rule) => rule.meta.id !== '@secretlint/secretlint-rule-filter-comments')
  .map((rule) =>
    rule.create(
      {
        createTranslator:
          () =>
          (messageId, data = {}) => ({ messageId, data: { ...data } }),
        report: (report) => reports.push(report),
      },
      {},
    ),
  );

function lint(text: string): readonly LintReport[] {
  reports = [];
  // by this name the npm rule looks for GitHub tokens in addresses
  for (const rule of RULES) rule.file({ content: text, filePath: 'package.json', ext: '.txt' });
  return reports;
}

function applyPreset(text: string, found: FoundSecret[]): void {
  for (const { message, range } of lint(text)) {
    const known = LINT_KINDS[message.messageId] ?? { kind: message.messageId.toLowerCase() };
    let [start, end] = range;
    if (known.datum !== undefined) {
      const secret = String(message.data[known.datum] ?? '');
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

const ESCAPES_AND_COLOURS =
  /(?<!\\)\\+(?:u[0-9a-fA-F]{4}(?:\[[0-9;]*m)?|x1[bB](?:\[[0-9;]*m)?|[nrtbf"'/])|\p{Cc}\[[0-9;]*m/gu;

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
export function findSecrets(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const blanked = blankEscapes(text);
  for (const view of blanked === text ? [text] : [text, blanked]) {
    applyPreset(view, found);
    applyOwnRules(view, found);
  }
  return found.length === 0 ? found : merge(found);
}
