import type { StoredMessage } from '../chat/messages.js';
import { MASK_POLICIES, type MaskPolicyName } from '../tokens/mask-policy.js';
import type { ExportCounts, MessageExporter, MessageSource } from './exporter.js';

/** Parts around the words of a turn on which mask policies differ, as the report names them. */
export const AROUND = {
  header: 'header',
  marked_header: 'header in a generation block of the template',
  stop: 'stop token',
  separator: 'newline after the stop token',
  empty_think: 'empty think block of the template',
} as const;
type Around = keyof typeof AROUND;

const isPolicy = (name: string): name is MaskPolicyName => Object.hasOwn(MASK_POLICIES, name);

/** A turn that the model did not write alone: a trainer that trains the whole message trains all of it. */
const hasForeignSpan = ({ spans }: StoredMessage): boolean =>
  spans?.some(({ origin, in: field }) => origin === 'environment' && field !== 'tool_calls') ?? false;

/**
 * Counts turns that a text trainer will train otherwise than the row's mask, which can always be done. For tokens see
 * TokenDifference.
 */
export class TextDifference {
  readonly #exporter: Pick<MessageExporter, 'trains' | 'perMessage' | 'skips'>;
  readonly #policies = new Map<string, number>();
  #trainedTurns = 0;
  #untrainedTurns = 0;
  #turnsAgainst = 0;
  #rowsAgainst = 0;
  #truncatedTurns = 0;
  #partlyTrained = 0;
  #otherIds = 0;

  constructor(exporter: Pick<MessageExporter, 'trains' | 'perMessage' | 'skips'>) {
    this.#exporter = exporter;
  }

  add(row: MessageSource): void {
    const assistants = row.messages.filter(({ role }) => role === 'assistant');
    const trained = assistants.filter((message) => message.trained === true);
    const untrained = assistants.length - trained.length;
    this.#trainedTurns += trained.length;
    this.#untrainedTurns += untrained;
    // the trainer never sees a row that the export leaves out
    if (this.#exporter.skips?.(row.messages) === true) return;
    if (untrained > 0 && !this.#exporter.perMessage) {
      this.#turnsAgainst += untrained;
      this.#rowsAgainst++;
    }
    this.#truncatedTurns += trained.filter(({ truncated }) => truncated !== undefined).length;
    this.#partlyTrained += trained.filter(hasForeignSpan).length;
    if (row.ids_differ_because.length > 0) this.#otherIds++;
    this.#policies.set(row.mask_policy, (this.#policies.get(row.mask_policy) ?? 0) + trained.length);
  }

  counts(): ExportCounts {
    return {
      turns_trained_by_our_mask: this.#trainedTurns,
      turns_untrained_by_our_mask: this.#untrainedTurns,
      turns_trained_against_our_mask: this.#turnsAgainst,
      rows_with_such_turns: this.#rowsAgainst,
      truncated_turns_trained_with_a_stop_token: this.#truncatedTurns,
      turns_trained_with_text_the_model_did_not_write: this.#partlyTrained,
      rows_whose_ids_the_trainer_renders_otherwise: this.#otherIds,
    };
  }

  /** Sentences on the tokens around the words, for each mask policy of the rows. */
  sentences(): string[] {
    const { trains } = this.#exporter;
    const sentences: string[] = [];
    for (const [policy, turns] of this.#policies) {
      if (!isPolicy(policy)) continue;
      const more = this.#difference(trains, policy);
      const less = this.#difference(policy, trains);
      if (more !== '') sentences.push(`In ${turns} turns of policy ${policy} it also trains: ${more}.`);
      if (less !== '') sentences.push(`In ${turns} turns of policy ${policy} it does not train: ${less}.`);
    }
    return sentences;
  }

  #difference(one: MaskPolicyName, other: MaskPolicyName): string {
    const parts = Object.keys(AROUND) as Around[];
    // a marked header stands in training templates alone: only a count of tokens can tell of it
    return parts
      .filter((part) => part !== 'marked_header')
      .filter((part) => MASK_POLICIES[one][part] && !MASK_POLICIES[other][part])
      .map((part) => AROUND[part])
      .join(', ');
  }
}
