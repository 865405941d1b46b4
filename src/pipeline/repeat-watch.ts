import { decodeReplyKeys } from '../selection/repeated-replies.js';
import { readSurvey } from './completion.js';
import type { Plan } from './plan.js';
import { mayPresume } from './presumption.js';
import type { RunFolder } from './run-folder.js';
import type { SurveyRow } from './survey.js';

/** Tasks that are looked at before the share of repeats counts. */
const LEAST_TASKS = 8;

/** Reading is about a quarter of reading and building: above this share of tasks built twice nothing is saved. */
const MOST_REPEATED = 0.25;

/** Watches how many tasks hold trajectories, or beginnings of them, that others hold too, and so would be built twice. */
export class RepeatWatch {
  readonly #folder: RunFolder;
  readonly #plan: Plan;
  readonly #may: boolean;
  readonly #seen = new Set<string>();
  #tasks = 0;
  #repeated = 0;

  constructor(folder: RunFolder, plan: Plan) {
    this.#folder = folder;
    this.#plan = plan;
    this.#may = mayPresume(plan);
  }

  /** Whether the next task is best built while it is surveyed. The rows are the same either way. */
  get presume(): boolean {
    if (!this.#may) return false;
    return this.#tasks < LEAST_TASKS || this.#repeated <= this.#tasks * MOST_REPEATED;
  }

  /** Takes note of a task that was surveyed. */
  note(task: number): void {
    if (!this.#may) return;
    const rows = readSurvey(this.#folder, task, this.#plan.plan_id)?.rows ?? [];
    const own = rows.flatMap((row) => [row.id, firstReply(row) ?? []].flat());
    const repeats = own.some((mark) => this.#seen.has(mark));
    for (const mark of own) this.#seen.add(mark);
    this.#tasks++;
    if (repeats || new Set(own).size < own.length) this.#repeated++;
  }
}

/** A log that was begun as a copy of another one has its first reply. */
function firstReply({ replies = '' }: SurveyRow): string | null {
  const key = decodeReplyKeys(replies)[0] ?? 0n;
  return key === 0n ? null : key.toString();
}
