import { fromMessages } from '../chat/messages.js';
import { RejectError } from '../logs/reject.js';
import { sameIds } from '../tokens/encode-layout.js';
import type { RowEncoderOptions } from '../tokens/encode-row.js';
import { renderAgain } from '../tokens/prove-stored.js';
import { ID_DIFFERENCES } from '../tokens/token-row.js';
import type { ExportCounts, MessageExporter, StoredConversation } from './exporter.js';
import { AROUND } from './text-difference.js';
import { type TrainedTokens, type TrainerRule, trainerTokens } from './trained-tokens.js';

type Rule = Pick<MessageExporter, 'trains' | 'perMessage' | 'skips'>;

/** A token that one side trains alone. */
interface LoneToken {
  readonly row: StoredConversation;
  readonly turn: number;
  readonly part: string;
}

/** Where the tokens of a row are not those of the template's text of its messages, rendered and encoded as a whole. */
const OTHER_TOKENS = ['preserved', 'split', 'boundary_sampled'];

const WORDS = 'words';

/**
 * Counts tokens that a text trainer trains and the row's mask does not, and the other way round. A row's messages are
 * rendered and encoded again with the corpus's own template and tokenizer, and the trainer's rule is laid over them:
 * the turns that it trains, and the parts of its mask policy in each.
 *
 * Where the row is the template's own rendering both masks speak of the same ids. Where it is not (stretches of a
 * `split`, reasoning kept by `preserve`, a token boundary behind headers) the trainer is given the plain rendering, and
 * what each turn trains is compared part by part: the header, the words, the stop token and so on, each by its common
 * beginning and end.
 *
 * The first token of a row counts for nobody: nothing predicts it.
 */
export class TokenDifference {
  readonly #rule: Rule;
  readonly #engines: RowEncoderOptions;
  readonly #ours = new Map<string, number>();
  readonly #theirs = new Map<string, number>();
  #both = 0;
  #uncounted = 0;

  constructor(rule: Rule, engines: RowEncoderOptions) {
    this.#rule = rule;
    this.#engines = engines;
  }

  add(row: StoredConversation): void {
    try {
      if (!this.#count(row)) this.#uncounted++;
    } catch (error) {
      if (!(error instanceof RejectError)) throw error;
      this.#uncounted++;
    }
  }

  counts(): ExportCounts {
    return {
      tokens_trained_by_both: this.#both,
      tokens_trained_by_our_mask_alone: sum(this.#ours),
      tokens_trained_by_the_trainer_alone: sum(this.#theirs),
      rows_not_counted_in_tokens: this.#uncounted,
    };
  }

  /** What the tokens are that one side trains alone. */
  sentences(): string[] {
    const found = [
      ...listed('trained by the trainer and not by our mask', this.#theirs),
      ...listed('trained by our mask and not by the trainer', this.#ours),
    ];
    if (this.#uncounted > 0) {
      found.push(`${this.#uncounted} rows are not counted in tokens: their messages do not give their ids.`);
    }
    return found.length > 0 ? found : ['By the corpus’s own template it trains the tokens of our mask.'];
  }

  /** False where the stored ids are not those of the messages. */
  #count(row: StoredConversation): boolean {
    const { turns } = fromMessages(row.json);
    const input = { turns, indices: turns.map((_, index) => index), tools: row.tools };
    const differences = ID_DIFFERENCES.filter((name) => row.ids_differ_because.includes(name));
    const rule = this.#ruleFor(row);
    const again = trainerTokens(
      renderAgain({ ids_differ_because: differences }, input, this.#engines.renderer),
      rule,
      this.#engines,
    );
    if (!sameIds(again.ids, row.input_ids)) return false;
    const ours = { ...again, mask: row.loss_mask };
    if (row.ids_differ_because.some((name) => OTHER_TOKENS.includes(name))) {
      const whole = { ...this.#engines, mask: { ...this.#engines.mask, boundary: 'whole' as const } };
      this.#compareTurns(row, ours, trainerTokens(this.#engines.renderer.render(input), rule, whole));
    } else {
      this.#compareTokens(row, ours, again.mask);
    }
    return true;
  }

  #ruleFor({ messages }: StoredConversation): TrainerRule {
    const { trains, perMessage, skips } = this.#rule;
    const turns = new Set<number>();
    if (skips?.(messages) !== true) {
      messages.forEach(({ role, trained }, index) => {
        if (role === 'assistant' && (trained === true || !perMessage)) turns.add(index);
      });
    }
    return { policy: trains, turns };
  }

  #compareTokens(row: StoredConversation, ours: TrainedTokens, theirs: ArrayLike<number>): void {
    for (let i = 1; i < ours.ids.length; i++) {
      const [our, their] = [ours.mask[i] === 1, theirs[i] === 1];
      if (our && their) this.#both++;
      else if (our) this.#addOurs(lone(row, ours, i));
      else if (their) this.#addTheirs(lone(row, ours, i));
    }
  }

  #compareTurns(row: StoredConversation, ours: TrainedTokens, theirs: TrainedTokens): void {
    const [one, other] = [trainedByPart(ours), trainedByPart(theirs)];
    for (const place of new Set([...one.keys(), ...other.keys()])) {
      const [left, right] = [one.get(place) ?? [], other.get(place) ?? []];
      const same = (a = -1, b = -1): boolean => ours.ids[a] === theirs.ids[b];
      const most = Math.min(left.length, right.length);
      let start = 0;
      while (start < most && same(left[start], right[start])) start++;
      let end = 0;
      while (end < most - start && same(left.at(-1 - end), right.at(-1 - end))) end++;
      this.#both += start + end;
      for (const i of left.slice(start, left.length - end)) this.#addOurs(lone(row, ours, i));
      for (const i of right.slice(start, right.length - end)) this.#addTheirs(lone(row, theirs, i));
    }
  }

  #addOurs({ row, part }: LoneToken): void {
    const skipped = this.#rule.skips?.(row.messages) === true;
    add(this.#ours, skipped ? 'rows that the export leaves out' : partName(part));
  }

  #addTheirs({ row, turn, part }: LoneToken): void {
    const left = row.messages[turn]?.trained !== true;
    add(this.#theirs, left ? 'turns left out by our mask' : partName(part));
  }
}

function lone(row: StoredConversation, { segments, segment }: TrainedTokens, token: number): LoneToken {
  const found = segments[segment[token] ?? -1];
  return { row, turn: found?.turn ?? -1, part: found?.part ?? '' };
}

/** Positions of the trained tokens of each part of each turn. */
function trainedByPart({ ids, mask, segment, segments }: TrainedTokens): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (let i = 1; i < ids.length; i++) {
    if (mask[i] !== 1) continue;
    const at = segments[segment[i] ?? -1];
    const place = `${at?.turn} ${partName(at?.part ?? '')}`;
    const own = found.get(place) ?? [];
    own.push(i);
    found.set(place, own);
  }
  return found;
}

const partName = (part: string): string => (AROUND as Readonly<Record<string, string>>)[part] ?? WORDS;

const add = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, n) => total + n, 0);

function listed(what: string, counts: ReadonlyMap<string, number>): string[] {
  if (counts.size === 0) return [];
  const parts = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${name} ${n}`);
  return [`By the corpus’s own template ${sum(counts)} tokens are ${what}: ${parts.join(', ')}.`];
}
