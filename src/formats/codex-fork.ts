import type { RolloutRecord } from './codex-records.js';
import { asString } from './shape.js';

/** Records that were written this soon after the first line are the predecessor's, where no turn tells it. */
const COPY_MILLIS = 1000;

const TURN_EVENTS: ReadonlySet<string> = new Set(['task_started', 'turn_started']);

/** Whether a record begins a turn: the model is asked next. */
export function startsTurn({ type, payload }: RolloutRecord): boolean {
  return type === 'turn_context' || TURN_EVENTS.has(asString(payload['type']) ?? '');
}

/**
 * What a forked rollout copied from its predecessor. Ids of sessions and turns begin with their time (UUID version 7): a
 * turn from before the session was copied, a later one is its own. Where ids have no time, the time of writing tells.
 */
export class ForkedHistory {
  private readonly began: number | null;
  private readonly until: number;
  private before: boolean | null = null;

  constructor(records: readonly RolloutRecord[], session: string | null) {
    this.began = idMillis(session);
    this.until = Date.parse(records[0]?.timestamp ?? '') + COPY_MILLIS;
  }

  /** Whether a record is the predecessor's; to be asked of every record in order. */
  isCopied(record: RolloutRecord): boolean {
    const { payload, timestamp } = record;
    const turn = startsTurn(record) ? idMillis(asString(payload['turn_id'])) : null;
    if (turn !== null && this.began !== null) this.before = turn < this.began;
    return this.before ?? Date.parse(timestamp ?? '') <= this.until;
  }
}

/** The time in an id, in milliseconds; null where it has none. */
function idMillis(id: string | null): number | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i.exec(id ?? '') ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}
