import { posix } from 'node:path';
import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { competitionReports } from './competition-report.js';
import { gradedLog, isGradeName } from './mlebench-grade.js';
import { isRunFolder } from './mlebench-runs.js';
import { isObject } from './shape.js';

export const mlebenchReport: FormatAdapter = {
  name: 'mlebench-report',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'MLE-bench grading report, of one submission or of many: joined to the runs beside it or inside its group',
    recognised_by: 'competition_reports, or competition_id and valid_submission',
    scores: 'a test score of the final submission, with thresholds as claims of the task',
    executions: 'none',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: ['medals, which follow from score and thresholds; run and seed are not named in a report'],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const aggregated = isObject(sniff.json) && Array.isArray(sniff.json['competition_reports']);
  return aggregated || competitionReports(sniff.json).length > 0
    ? { confidence: 'certain', reason: 'grades of MLE-bench' }
    : null;
}

function read(_input: unknown, context: ReadContext): SidecarOf {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const { names } = context.siblings;
  const folder = posix.dirname(context.place.path);
  const inside = names.find((name) => {
    if (!name.includes('/') || name.startsWith('../') || isGradeName(name)) return false;
    return posix.join(folder, posix.dirname(name)).split('/').some(isRunFolder);
  });
  const run = isGradeName(own) ? (gradedLog(names) ?? inside ?? null) : null;
  if (run === null) {
    throw new RejectError(
      'not_a_trajectory',
      'looks like an MLE-bench grading report, which holds no trajectory, and no run is beside it',
    );
  }
  return { sidecar_of: run };
}
