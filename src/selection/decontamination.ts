import { z } from 'zod';
import type { TaskRecord } from '../grading/task-record.js';
import { wordRuns, wordsOf } from './words.js';

/** The lists that the package ships, as data/decontamination/<name>.json. */
export const SHIPPED_LISTS = [
  'mle-bench',
  'mle-bench-lite',
  'mle-bench-dev',
  'mle-dojo',
  'naturebench',
] as const;
export type ShippedList = (typeof SHIPPED_LISTS)[number];

/** A list of tasks that a corpus must not hold; a user's own file has the same form. */
export const decontaminationListSchema = z.strictObject({
  name: z.string().min(1),
  title: z.string().default('').describe('what the list is'),
  provenance: z.string().default('').describe('where its ids were published'),
  ids: z.array(z.string().min(1)).min(1).describe('task ids'),
});
export type DecontaminationList = z.infer<typeof decontaminationListSchema>;

export const decontaminationSchema = z
  .union([
    z.literal('none'),
    z.strictObject({
      lists: z.array(z.enum(SHIPPED_LISTS)).default([]).describe('shipped lists'),
      files: z
        .array(z.string())
        .default([])
        .describe('own lists: JSON or YAML files with name and ids, relative to the pipeline file'),
      texts: z
        .array(z.string())
        .default([])
        .describe('task descriptions: text files or patterns, relative to the pipeline file'),
      ngram: z.int().min(1).default(13).describe('words a run that is looked for in prompts and feedback'),
      min_hits: z.int().min(1).default(1).describe('distinct runs in common that make an overlap'),
    }),
  ])
  .default('none')
  .describe('tasks that the corpus must not hold, by id, alias, family, and overlap of the description');
export type DecontaminationOptions = z.infer<typeof decontaminationSchema>;

/** Why a trajectory is contaminated. */
export interface Contamination {
  /** name of the list or of the text file */
  readonly list: string;
  readonly how: 'id' | 'alias' | 'family' | 'overlap';
  /** a sentence that names both */
  readonly detail: string;
}

export interface ListedTask {
  /** the record of the task, null where there is none */
  readonly record: TaskRecord | null;
  /** every name that stands for it: the resolved id, and the one that the log gives */
  readonly names: readonly (string | null)[];
}

/** Task ids of several lists, with the families that they belong to by the task records. Names compare in any case. */
export class ListedTasks {
  readonly #lists = new Map<string, string>();
  readonly #families = new Map<string, string>();

  constructor(lists: readonly Pick<DecontaminationList, 'name' | 'ids'>[], records: readonly TaskRecord[]) {
    for (const { name, ids } of lists) {
      for (const id of ids) if (!this.#lists.has(fold(id))) this.#lists.set(fold(id), name);
    }
    for (const record of records) {
      const list = [record.task_id, ...record.aliases].map((name) => this.#listOf(name)).find(Boolean);
      if (record.family !== null && list !== undefined && !this.#families.has(fold(record.family))) {
        this.#families.set(fold(record.family), list);
      }
    }
  }

  /** The first that holds of id, alias and family; null for a task that no list knows. */
  match({ record, names }: ListedTask): Contamination | null {
    const own = [record?.task_id ?? null, ...names];
    return (
      this.#find('id', own) ??
      this.#find('alias', record?.aliases ?? []) ??
      this.#find('family', [record?.family ?? null])
    );
  }

  #find(how: 'id' | 'alias' | 'family', names: readonly (string | null)[]): Contamination | null {
    for (const name of names) {
      if (name === null) continue;
      const list = this.#listOf(name) ?? (how === 'family' ? this.#families.get(fold(name)) : undefined);
      if (list !== undefined) return { list, how, detail: `list ${list} holds ${name} (${how})` };
    }
    return null;
  }

  #listOf(name: string): string | undefined {
    return this.#lists.get(fold(name));
  }
}

function fold(name: string): string {
  return name.trim().toLowerCase();
}

/** Descriptions of tasks by their runs of words. The runs are compared as text: there are no false hits. */
export class DescriptionOverlap {
  readonly #texts: readonly { readonly name: string; readonly runs: ReadonlySet<string> }[];
  readonly #ngram: number;
  readonly #minHits: number;

  constructor(
    texts: readonly { readonly name: string; readonly text: string }[],
    options: { readonly ngram: number; readonly min_hits: number },
  ) {
    this.#ngram = options.ngram;
    this.#minHits = options.min_hits;
    this.#texts = texts.map(({ name, text }) => ({ name, runs: wordRuns(wordsOf(text), options.ngram) }));
  }

  /** The first text, in the order given, that shares enough distinct runs of words with what a run was shown. */
  match(shown: string): Contamination | null {
    if (this.#texts.length === 0) return null;
    const runs = wordRuns(wordsOf(shown), this.#ngram);
    for (const { name, runs: known } of this.#texts) {
      let hits = 0;
      for (const run of runs) if (known.has(run)) hits++;
      if (hits < this.#minHits) continue;
      const detail = `what it was shown shares ${hits} of ${known.size} runs of ${this.#ngram} words with ${name}`;
      return { list: name, how: 'overlap', detail };
    }
    return null;
  }
}
