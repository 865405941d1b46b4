import { loadRenderer } from '../chat/load-renderer.js';
import type { ChatRenderer } from '../chat/renderer.js';
import { TrajmillError } from '../errors.js';
import { FirstLooks } from '../formats/first-looks.js';
import { TaskIndex } from '../grading/task-index.js';
import { createSecretMasker, type SecretMasker } from '../logs/secrets.js';
import { createRowEncoder, type RowEncoder } from '../tokens/encode-row.js';
import type { Encoder, TokenSink } from '../tokens/encoder.js';
import { type MaskOptions, TRAINED_KINDS } from '../tokens/mask-options.js';
import { openSharedEncoder } from '../tokens/share-encoder.js';
import { TokenArena } from '../tokens/token-arena.js';
import { readDecisions, readTaskDecisions } from './completion.js';
import { templateDate } from './config.js';
import { type CorpusDecisions, corpusDecisionsOf } from './corpus-decisions.js';
import type { DecisionRow } from './decisions.js';
import { type Location, type Plan, requirePlan } from './plan.js';
import { presumedDecisions } from './presumption.js';
import { type RunFolder, runFolder } from './run-folder.js';
import { siblingNames } from './task-input.js';
import type { WorkerSetup } from './task-message.js';

/** Where the rows of RL differ from those of SFT: whatever the policy sampled in a window is an action. */
export function rlMask(mask: MaskOptions): MaskOptions {
  return {
    ...mask,
    kinds: [...TRAINED_KINDS],
    last_turn_only: false,
    failed_turns: 'train',
    truncated: 'train_without_stop',
    malformed_calls: 'train',
  };
}

/** What a worker keeps between tasks: the plan, and the engines that are dear to load. */
export interface TaskContext {
  readonly folder: RunFolder;
  readonly plan: Plan;
  readonly location: Location;
  readonly siblings: ReadonlyMap<string, readonly string[]>;
  readonly looks: FirstLooks;
  /** records as planned, before the corpus gives thresholds to any */
  readonly tasks: TaskIndex;
  readonly pathPatterns: readonly RegExp[];
  readonly secrets: SecretMasker;
  readonly encoder: Encoder;
  readonly renderer: ChatRenderer;
  readonly rowEncoder: RowEncoder;
  readonly rlRowEncoder: RowEncoder;
  readonly scratch: TokenSink;
  /** holds the token lists of the trajectory at hand until its rows are written */
  readonly arena: TokenArena;
  /** what the whole corpus decided; of the build pass */
  decisions(): CorpusDecisions;
  /** what it decides where no trajectory has a say; of tasks that are built while they are surveyed */
  presumed(): CorpusDecisions;
  /** decisions on single trajectories of a task, by their order in it */
  taskDecisions(task: number): ReadonlyMap<number, DecisionRow>;
}

/** Opens a run folder for work. The engines must be those that the plan names, else E_PLAN_MISMATCH. */
export async function openTaskContext(setup: WorkerSetup): Promise<TaskContext> {
  const folder = runFolder(setup.dir);
  const { plan, location } = requirePlan(folder);
  const { config } = plan.body;
  const encoder = openSharedEncoder(setup.encoder);
  const renderer = loadRenderer({ template: location.template, date: templateDate(config) });
  assertSame('tokenizer', encoder.sha256, plan.body.tokenizer_sha256);
  assertSame('template', renderer.sha256, plan.body.template_sha256);
  let decisions: CorpusDecisions | null = null;
  let presumed: CorpusDecisions | null = null;
  const noDecisions = (): TrajmillError =>
    new TrajmillError('E_PLAN_MISMATCH', 'no decisions of this plan; run again', { place: folder.dir });
  return {
    folder,
    plan,
    location,
    siblings: siblingNames(plan),
    looks: new FirstLooks(),
    tasks: TaskIndex.of(plan.body.task_records),
    pathPatterns: config.tasks.path_patterns.map((pattern) => new RegExp(pattern)),
    secrets: createSecretMasker({ enabled: config.secrets === 'mask' }),
    encoder,
    renderer,
    rowEncoder: createRowEncoder({ encoder, renderer, mask: config.mask }),
    rlRowEncoder: createRowEncoder({ encoder, renderer, mask: rlMask(config.mask) }),
    scratch: { ids: new Int32Array(1 << 16), length: 0 },
    arena: new TokenArena(),
    decisions: () => {
      if (decisions !== null) return decisions;
      const found = readDecisions(folder, plan.plan_id);
      if (found === null) throw noDecisions();
      decisions = corpusDecisionsOf(plan, found);
      return decisions;
    },
    presumed: () => {
      presumed ??= corpusDecisionsOf(plan, presumedDecisions(plan));
      return presumed;
    },
    taskDecisions: (task) => {
      const found = readTaskDecisions(folder, task, plan.plan_id);
      if (found === null) throw noDecisions();
      return new Map(found.rows.map((row) => [row.order, row]));
    },
  };
}

function assertSame(what: string, actual: string, planned: string): void {
  if (actual === planned) return;
  throw new TrajmillError(
    'E_PLAN_MISMATCH',
    `the ${what} has sha256 ${actual}, ${planned} when it was planned; plan again into a new folder`,
  );
}
