import { join } from 'node:path';

/** Where things lie in a run folder. */
export interface RunFolder {
  readonly dir: string;
  readonly plan: string;
  /** where the inputs lie on this machine; no part of the plan */
  readonly location: string;
  /** folder of standard input, where that is an input */
  readonly stdin: string;
  readonly survey: string;
  readonly decisions: string;
  /** decisions by trajectory, one file a task */
  readonly taskDecisions: string;
  /** tasks that were built while they were surveyed, until the decisions stand */
  readonly presumed: string;
  readonly staging: string;
  readonly completions: string;
  readonly corpus: string;
  readonly manifest: string;
  readonly summary: string;
  readonly rejects: string;
}

export function runFolder(dir: string): RunFolder {
  return {
    dir,
    plan: join(dir, 'plan.json'),
    location: join(dir, 'location.json'),
    stdin: join(dir, 'stdin'),
    survey: join(dir, 'survey'),
    decisions: join(dir, 'decisions.json'),
    taskDecisions: join(dir, 'decisions'),
    presumed: join(dir, 'presumed'),
    staging: join(dir, 'staging'),
    completions: join(dir, 'completions'),
    corpus: join(dir, 'corpus'),
    manifest: join(dir, 'corpus', 'manifest.json'),
    summary: join(dir, 'summary.json'),
    rejects: join(dir, 'rejects.jsonl'),
  };
}

export function taskName(index: number): string {
  return `t${String(index).padStart(5, '0')}`;
}
