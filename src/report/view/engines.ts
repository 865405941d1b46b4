import { existsSync } from 'node:fs';
import { loadRenderer } from '../../chat/load-renderer.js';
import type { ChatRenderer } from '../../chat/renderer.js';
import { TrajmillError } from '../../errors.js';
import { templateDate } from '../../pipeline/config.js';
import { type PlanBody, requirePlan } from '../../pipeline/plan.js';
import type { Encoder } from '../../tokens/encoder.js';
import { loadEncoder } from '../../tokens/load-encoder.js';
import type { ExplainedCorpus } from '../explain/explain-trajectory.js';

/** What turns the tokens of a corpus into text again, or why that cannot be. */
export type Engines =
  | {
      readonly encoder: Encoder;
      readonly renderer: ChatRenderer | null;
      /** of the plan; null where it is not at hand */
      readonly config: PlanBody['config'] | null;
      readonly unable: null;
    }
  | { readonly encoder: null; readonly unable: string };

/** The name under which a corpus without its run folder is likely to find its tokenizer and template. */
const USUAL = 'qwen3';

/**
 * Opens the tokenizer and the template of a run where they lie. A corpus without its run folder is tried with the usual
 * ones; `tokenizer_sha256` of its rows then says whether they are its own. Without the template rows are still decoded,
 * but where turns begin is only guessed.
 */
export function openEngines({ run }: Pick<ExplainedCorpus, 'run'>): Engines {
  try {
    const located = run !== null && existsSync(run.folder.location) ? requirePlan(run.folder).location : null;
    const encoder = loadEncoder({ tokenizer: located?.tokenizer ?? USUAL });
    const planned = run?.plan.body.tokenizer_sha256;
    if (planned !== undefined && encoder.sha256 !== planned) {
      return unable(`tokenizer ${located?.tokenizer ?? USUAL} is not that of the plan`);
    }
    if (encoder.byteLengths === null) return unable('tokens of this tokenizer are not pieces of bytes');
    const config = run?.plan.body.config ?? null;
    return { encoder, renderer: rendererOf(run, located?.template ?? USUAL), config, unable: null };
  } catch (error) {
    if (error instanceof TrajmillError) return unable(error.message);
    throw error;
  }
}

const unable = (because: string): Engines => ({ encoder: null, unable: because });

function rendererOf(run: ExplainedCorpus['run'], template: string): ChatRenderer | null {
  try {
    const date = run === null ? null : templateDate(run.plan.body.config);
    const renderer = loadRenderer({ template, date });
    const planned = run?.plan.body.template_sha256;
    return planned === undefined || renderer.sha256 === planned ? renderer : null;
  } catch (error) {
    if (error instanceof TrajmillError) return null;
    throw error;
  }
}
