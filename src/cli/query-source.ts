import { existsSync } from 'node:fs';
import { readTaskDecisions } from '../pipeline/completion.js';
import type { QueryCorpus } from '../report/query/query-corpus.js';
import type { OpenCorpus } from './corpus-folder.js';

/** What SQL can ask of an open corpus: its tables, and what lies beside them in the run folder. */
export function queryCorpusOf({ corpus, manifest, run, tasks }: OpenCorpus): QueryCorpus {
  if (run === null) return { corpus, manifest, rejects: null, decisions: [], tasks };
  const { folder, plan } = run;
  const decisions = plan.body.tasks.flatMap((_, task) => {
    const rows = readTaskDecisions(folder, task, plan.plan_id)?.rows ?? [];
    return rows.map((row) => ({ ...row, task }));
  });
  return {
    corpus,
    manifest,
    rejects: existsSync(folder.rejects) ? folder.rejects : null,
    decisions,
    tasks,
  };
}
