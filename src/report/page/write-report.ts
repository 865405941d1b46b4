import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ReportViewer } from '../../browser/report/data.js';
import { writeFileAtomic } from '../../pipeline/atomic-file.js';
import { buildReportPage, type ReportSource } from './report-page.js';

/** Name of the page in a run folder. */
export const REPORT_NAME = 'report.html';

/** Writes the report of a corpus. It links to the pages of trajectories that lie in `view` beside it. */
export async function writeReport(source: ReportSource, path: string): Promise<void> {
  writeFileAtomic(path, await buildReportPage(source, { viewer: viewerBeside(path) }));
}

function viewerBeside(path: string): ReportViewer | null {
  const folder = join(dirname(path), 'view');
  if (!existsSync(folder)) return null;
  const ids = readdirSync(folder).flatMap((name) => /^([0-9a-f]{64})\.html$/.exec(name)?.[1] ?? []);
  return ids.length === 0 ? null : { pattern: 'view/{id}.html', ids: ids.sort() };
}
