import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { loadRenderer } from '../chat/load-renderer.js';
import { TrajmillError } from '../errors.js';
import type { Engines } from '../export/run-export.js';
import { RejectError } from '../logs/reject.js';
import { templateDate } from '../pipeline/config.js';
import { requirePlan } from '../pipeline/plan.js';
import { runFolder } from '../pipeline/run-folder.js';
import type { VerifyOptions } from '../tables/verify.js';
import { loadEncoder } from '../tokens/load-encoder.js';
import { proveStored } from '../tokens/prove-stored.js';
import { ID_DIFFERENCES } from '../tokens/token-row.js';

type Prove = NonNullable<VerifyOptions['prove']>;

/**
 * What a run's rows were rendered, encoded and masked with, as its plan says. Where that is not at hand (a corpus without
 * its run folder, another machine) `unable` says why.
 */
export function enginesOf(dir: string): Engines {
  const folder = [dir, dirname(dir)].map(runFolder).find(({ plan }) => existsSync(plan));
  if (folder === undefined) return { unable: 'there is no plan beside the corpus' };
  try {
    const { plan, location } = requirePlan(folder);
    const { config, tokenizer_sha256: tokenizer, template_sha256: template } = plan.body;
    const encoder = loadEncoder({ tokenizer: location.tokenizer });
    const renderer = loadRenderer({ template: location.template, date: templateDate(config) });
    if (encoder.sha256 !== tokenizer)
      return { unable: `tokenizer ${location.tokenizer} is not that of the plan` };
    if (renderer.sha256 !== template)
      return { unable: `template ${location.template} is not that of the plan` };
    return { encoder, renderer, mask: config.mask };
  } catch (error) {
    if (error instanceof TrajmillError) return { unable: error.message };
    throw error;
  }
}

/** Proves the masks of a run's sft rows anew from what was stored, with the engines of its plan. */
export function proverOf(dir: string): { readonly prove: Prove } | { readonly unable: string } {
  const engines = enginesOf(dir);
  if ('unable' in engines) return engines;
  return {
    prove(row) {
      const differences = ID_DIFFERENCES.filter((name) => row.ids_differ_because.includes(name));
      return problemOf(() => proveStored({ ...row, ids_differ_because: differences }, engines));
    },
  };
}

function problemOf(prove: () => ReturnType<typeof proveStored>): string | null {
  try {
    const { proofs, ids_reproduced: reproduced } = prove();
    const failed = Object.entries(proofs).flatMap(([name, held]) => (held === true ? [] : [name]));
    if (failed.length > 0) return `does not hold: ${failed.join(', ')}`;
    return reproduced ? null : 'its messages encode to other ids';
  } catch (error) {
    if (error instanceof RejectError) return `cannot be proved: ${error.message}`;
    throw error;
  }
}
