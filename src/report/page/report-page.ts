import type { ReportData, ReportViewer } from '../../browser/report/data.js';
import type { TaskRecord } from '../../grading/task-record.js';
import type { Plan } from '../../pipeline/plan.js';
import type { CorpusManifest } from '../../tables/manifest.js';
import { meaningOf } from '../explain/meanings.js';
import { renderPage } from '../html/page.js';
import { lineageOf } from './lineage.js';
import { readReportFacts } from './read-report-facts.js';
import { reportTables } from './report-data.js';
import type { ReportFacts } from './report-facts.js';

/** A committed corpus, and what lies beside it. */
export interface ReportSource {
  readonly corpus: string;
  readonly manifest: CorpusManifest;
  /** null where the corpus lies without its run folder */
  readonly plan: Plan | null;
  /** with the thresholds that the corpus gave them */
  readonly tasks: readonly TaskRecord[];
  /** rejects.jsonl of the run; null without its folder */
  readonly rejects: string | null;
}

export interface ReportPageOptions {
  /** how the page opens a trajectory, as `{ pattern: 'view/{id}', ids: null }`; null shows the command */
  readonly viewer: ReportViewer | null;
}

/** The page lists no more files than this. */
const LISTED_FILES = 500;

/** The report of a corpus as one HTML page that needs nothing from outside. The same bytes for the same corpus. */
export async function buildReportPage(source: ReportSource, options: ReportPageOptions): Promise<string> {
  return renderReport(source, await readReportFacts(source), options);
}

/** As buildReportPage, with facts that were read before. */
export function renderReport(
  { manifest, plan }: Pick<ReportSource, 'manifest' | 'plan'>,
  all: ReportFacts,
  { viewer }: ReportPageOptions,
): string {
  const data: ReportData = {
    ...reportTables(all),
    lineage: lineageOf(manifest, plan),
    files: manifest.files
      .slice(0, LISTED_FILES)
      .map(({ path, rows, tokens, bytes, sha256 }) => ({ path, rows, tokens, bytes, sha256 })),
    n_files: manifest.files.length,
    totals: Object.entries(manifest.totals).map(([table, { rows, tokens }]) => ({ table, rows, tokens })),
    plan_id: manifest.plan_id,
    policy: all.policy,
    meanings: meaningsOf(all),
    viewer,
  };
  return renderPage({
    name: 'report',
    title: `Corpus ${manifest.plan_id.slice(0, 12)}: report`,
    data,
    body: BODY,
  });
}

/** Of every reason, reject code and flag that occurs and is described. */
function meaningsOf({ facts, trajectories }: ReportFacts): Record<string, string> {
  const names = new Set([
    ...Object.keys(facts.rejects),
    ...trajectories.flatMap(({ reason, flags }) => (reason === null ? flags : [reason, ...flags])),
    ...facts.runs.flatMap(({ windows }) => windows.flatMap(({ flags }) => flags)),
  ]);
  return Object.fromEntries(
    [...names].sort().flatMap((name) => {
      const meaning = meaningOf(name);
      return meaning === null ? [] : [[name, meaning]];
    }),
  );
}

const BODY = `<a class="skip" href="#main">Skip to the figures</a>
<header id="top"></header>
<div id="layout">
<nav id="contents" aria-label="Sections"></nav>
<main id="main" tabindex="-1">
<noscript><p>This report draws its charts with a script of its own. Please allow scripts for this page.</p></noscript>
</main>
</div>`;
