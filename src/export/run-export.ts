import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { groupFiles, type ManifestFile, readManifest } from '../tables/manifest.js';
import type { ExportReport, SplitReport } from './export-report.js';
import { ExportSink } from './export-sink.js';
import type { Exporter, ExportOptions, RlExporter, SequenceSource } from './exporter.js';
import { EXPORTER_NAMES, EXPORTERS } from './exporters.js';
import { exportReadme } from './readme.js';
import { askConsent, type RlConsent } from './rl-consent.js';
import { type RlShard, sequenceSources, windowFacts } from './rl-sources.js';
import { messageSources, tokenSources } from './sft-sources.js';
import { TextDifference } from './text-difference.js';

export interface ExportRequest extends RlConsent {
  /** run folder or corpus folder */
  readonly dir: string;
  /** name of an exporter */
  readonly to: string;
  /** folder that must not hold anything yet */
  readonly out: string;
  /** null for every split */
  readonly split: string | null;
  readonly options: ExportOptions;
}

export function exporterNamed(name: string): Exporter {
  const exporter = EXPORTERS.find((each) => each.name === name);
  if (exporter !== undefined) return exporter;
  throw new TrajmillError('E_USAGE', `no export ${name}; there are ${EXPORTER_NAMES.join(', ')}`);
}

/**
 * Writes what one trainer reads, each split in a folder of its own. The folder appears under its name when it is
 * whole. Throws TrajmillError E_USAGE for what is refused, before anything is written where that can be known.
 */
export async function runExport(request: ExportRequest): Promise<ExportReport> {
  const exporter = exporterNamed(request.to);
  refuseOptions(exporter, request.options);
  const { corpus, manifest } = await readManifest(request.dir);
  const table = exporter.takes === 'rl' ? 'rl' : 'sft';
  const bySplit = splitsOf(manifest.files, table, request);
  await refuseOccupied(request.out);
  const staging = `${request.out}.partial`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  const root = new ExportSink(staging);
  try {
    const splits: SplitReport[] = [];
    for (const [split, files] of bySplit) {
      const place = { sink: root.folder(split), split, corpus, files, all: manifest.files };
      splits.push(await exportSplit(exporter, place, request));
    }
    await exporter.finish?.(root, [...bySplit.keys()]);
    const { name, title, notes } = exporter;
    const report: ExportReport = {
      exporter: name,
      title,
      plan_id: manifest.plan_id,
      out: request.out,
      splits,
      files: [...root.files],
      notes,
    };
    await root.text('README.md', exportReadme(report, exporter));
    await moveInto(staging, request.out);
    return report;
  } catch (error) {
    await root.abandon();
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}

/** An option that an exporter does not know would be ignored in silence. */
function refuseOptions(exporter: Exporter, options: ExportOptions): void {
  const given: Partial<Record<keyof ExportOptions, string>> = {
    ...(options.pack === null ? {} : { pack: '--pack' }),
    ...(options.overlong === 'error' ? {} : { overlong: '--overlong' }),
    ...(options.eosToken === null ? {} : { eosToken: '--eos-token' }),
    ...(options.denominator === 'window' ? {} : { denominator: '--denominator' }),
  };
  for (const [option, flag] of Object.entries(given)) {
    if (!exporter.takesOptions.includes(option as keyof ExportOptions)) {
      throw new TrajmillError('E_USAGE', `${flag} means nothing to the export ${exporter.name}`);
    }
  }
}

function splitsOf(
  files: readonly ManifestFile[],
  table: 'rl' | 'sft',
  { dir, split }: ExportRequest,
): Map<string, ManifestFile[]> {
  const own = files.filter((file) => file.table === table);
  const found = groupFiles(own, (file) => file.split);
  for (const [name, group] of found) {
    if (group.every(({ rows }) => rows === 0)) found.delete(name);
  }
  if (found.size === 0) {
    throw new TrajmillError('E_USAGE', `the corpus has no rows in table ${table}`, { place: dir });
  }
  if (split === null) return found;
  const chosen = found.get(split);
  if (chosen !== undefined) return new Map([[split, chosen]]);
  const there = [...found.keys()].join(', ');
  throw new TrajmillError('E_USAGE', `no rows in split ${split} of table ${table}; there are ${there}`, {
    place: dir,
  });
}

async function refuseOccupied(out: string): Promise<void> {
  const entries = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new TrajmillError('E_USAGE', 'is not a folder', { place: out, cause: error });
  });
  if (entries.length > 0) {
    throw new TrajmillError('E_USAGE', 'the folder is not empty; name another one', { place: out });
  }
}

async function moveInto(staging: string, out: string): Promise<void> {
  await mkdir(dirname(out), { recursive: true });
  await rmdir(out).catch(() => {});
  await rename(staging, out);
}

interface SplitPlace {
  readonly sink: ExportSink;
  readonly split: string;
  readonly corpus: string;
  readonly files: readonly ManifestFile[];
  readonly all: readonly ManifestFile[];
}

async function exportSplit(
  exporter: Exporter,
  place: SplitPlace,
  request: ExportRequest,
): Promise<SplitReport> {
  const { sink, split, corpus, files } = place;
  const { options } = request;
  if (exporter.takes === 'rl') return exportWindows(exporter, place, request);
  const paths = files.map(({ path }) => join(corpus, path));
  const size = { split, rows: 0, tokens: 0, trained: 0 };
  if (exporter.takes === 'tokens') {
    let first = 0;
    const sources = tokenSources(paths, () => {
      first++;
    });
    const rows = passing(sources, ({ input_ids, loss_mask }) => {
      size.rows++;
      size.tokens += input_ids.length;
      size.trained += onesIn(loss_mask);
    });
    const counts = await exporter.export(rows, { sink, options });
    return { ...size, counts: { ...counts, first_tokens_taken_out_of_the_mask: first }, differences: [] };
  }
  const difference = new TextDifference(exporter);
  const rows = passing(messageSources(paths), (row) => {
    size.rows++;
    difference.add(row);
  });
  const counts = await exporter.export(rows, { sink, options });
  size.tokens = files.reduce((sum, file) => sum + file.tokens, 0);
  return {
    ...size,
    counts: { ...counts, ...difference.counts() },
    differences: difference.sentences(),
  };
}

async function exportWindows(
  exporter: RlExporter,
  { sink, split, corpus, files, all }: SplitPlace,
  request: ExportRequest,
): Promise<SplitReport> {
  const shards = files.map((file): RlShard => {
    const windows = all.filter(
      (each) => each.table === 'windows' && each.split === split && each.task === file.task,
    );
    if (windows.length === 0) {
      throw new TrajmillError(
        'E_USAGE',
        `${file.path} has no windows beside it: their score scale is unknown`,
        {
          place: request.dir,
        },
      );
    }
    return { rl: join(corpus, file.path), windows: windows.map(({ path }) => join(corpus, path)) };
  });
  const consented = await askConsent(windowFacts(shards), request);
  const size = { split, rows: 0, tokens: 0, trained: 0 };
  const rows = passing(sequenceSources(shards), ({ input_ids, loss_mask }: SequenceSource) => {
    size.rows++;
    size.tokens += input_ids.length;
    size.trained += onesIn(loss_mask);
  });
  const counts = await exporter.export(rows, { sink, options: request.options, totals: consented });
  return {
    ...size,
    counts: {
      windows: consented.windows,
      windows_left_out_without_reward: consented.without_reward,
      windows_left_out_without_trained_tokens: consented.without_trained_tokens,
      windows_without_policy_data: consented.offline,
      ...counts,
    },
    differences: [],
  };
}

async function* passing<Row>(rows: AsyncIterable<Row>, look: (row: Row) => void): AsyncGenerator<Row> {
  for await (const row of rows) {
    look(row);
    yield row;
  }
}

function onesIn(mask: Int8Array): number {
  let ones = 0;
  for (const trained of mask) ones += trained;
  return ones;
}
