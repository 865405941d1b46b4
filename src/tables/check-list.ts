/** Failures that a report shows of one check; all are counted. */
const SHOWN_FAILURES = 20;

export interface CheckFailure {
  /** file, or file and row: `data/sft/train-00000-of-00001.parquet row 12 (row_id ...)` */
  readonly place: string;
  readonly message: string;
}

export interface CheckResult {
  readonly name: string;
  /** what holds where the check passes */
  readonly statement: string;
  readonly ok: boolean;
  /** things looked at: files, rows, windows */
  readonly checked: number;
  readonly failed: number;
  /** the first of them */
  readonly failures: readonly CheckFailure[];
}

/** Counts what one check looked at and keeps its first failures. */
export class Check {
  readonly name: string;
  readonly statement: string;
  checked = 0;
  failed = 0;
  readonly #failures: CheckFailure[] = [];

  constructor(name: string, statement: string) {
    this.name = name;
    this.statement = statement;
  }

  /** Looks at one thing: null says that it is right, a message says what is wrong. */
  look(place: string, problem: string | null): void {
    this.checked++;
    if (problem === null) return;
    this.failed++;
    if (this.#failures.length < SHOWN_FAILURES) this.#failures.push({ place, message: problem });
  }

  result(): CheckResult {
    return {
      name: this.name,
      statement: this.statement,
      ok: this.failed === 0,
      checked: this.checked,
      failed: this.failed,
      failures: [...this.#failures],
    };
  }
}

/** Every check of `trajmill verify`, in the order of the report. */
const STATEMENTS = {
  files: 'data/ holds the files of the manifest and no others',
  sums: 'size and sha256 of every file equal the manifest',
  schema: 'every shard has the column list of its table',
  footer: 'features, schema version and plan stand in every footer',
  rows: 'rows, tokens and row groups equal the manifest',
  values: 'no value is missing, out of range or unknown where the table forbids it',
  tokens: 'masks are 0 or 1, as long as the ids, and counts equal the lists',
  keys: 'row, sequence and window ids are unique',
  windows: 'windows lie in their sequence where its tokens say, with the same counts',
  columns: 'weights, turns, anchor scores and decisions agree within a row and between tables',
  rewards: 'rewards are null or values of their reward, the same in windows and sequences',
  proofs: 'every sft row carries its mask proofs, and they hold when checked again',
  beside: 'plan, summary, rejects, croissant and the head of the card agree with the manifest',
} as const;

export type CheckList = { readonly [N in keyof typeof STATEMENTS]: Check };

export function createCheckList(): CheckList {
  const entries = Object.entries(STATEMENTS).map(([name, text]) => [name, new Check(name, text)]);
  return Object.fromEntries(entries) as CheckList;
}
