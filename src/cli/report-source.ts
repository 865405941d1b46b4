import { join } from 'node:path';
import type { ReportSource } from '../report/page/report-page.js';
import { REPORT_NAME, writeReport } from '../report/page/write-report.js';
import type { CliContext } from './context.js';
import { type OpenCorpus, openCorpus } from './corpus-folder.js';
import { note } from './output.js';

/** What the report needs of a corpus that was opened. */
export function reportSource({ corpus, manifest, run, tasks }: OpenCorpus): ReportSource {
  return { corpus, manifest, plan: run?.plan ?? null, tasks, rejects: run?.folder.rejects ?? null };
}

/** Writes the report of a run that was just committed. The corpus stands: whatever goes wrong here is a warning. */
export async function reportCommitted(context: CliContext, outDir: string): Promise<void> {
  try {
    await writeReport(reportSource(await openCorpus(context, outDir)), join(outDir, REPORT_NAME));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    note(
      context,
      `warning: the corpus is committed, but its report could not be written: ${message.split('\n')[0]}`,
    );
  }
}
