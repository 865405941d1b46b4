import { join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { groupFiles, type ManifestFile, readManifest } from '../tables/manifest.js';
import type { RowEncoderOptions } from '../tokens/encode-row.js';
import type { ExportReport, SplitReport } from './export-report.js';
import type { ExportSink } from './export-sink.js';
import type { Exporter, ExportOptions, RlExporter, StoredExporter } from './exporter.js';
import { EXPORTER_NAMES, EXPORTERS } from './exporters.js';
import { exportReadme } from './readme.js';
import { askConsent, type RlConsent } from './rl-consent.js';
import { type RlShard, sequenceSources, windowFacts } from './rl-sources.js';
import { conversations, tokenSources } from './sft-sources.js';
import { storedSequences, windowsWithoutTokens } from './stored-sources.js';
import { TextDifference } from './text-difference.js';
import { TokenDifference } from './token-difference.js';
import { writeWholeFolder } from './whole-folder.js';

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
  /**
   * What the corpus was rendered, encoded and masked with, or why that is not at hand. Asked by exports of messages, which
   * count tokens with it; without, they count turns.
   */
  readonly engines?: () => Engines;
}

export type Engines = RowEncoderOptions | { readonly unable: string };

const NO_ENGINES: Engines = { unable: 'no tokenizer and template were given' };

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
  refuseOptions(exporter, request);
  const { corpus, manifest } = await readManifest(request.dir);
  const bySplit = splitsOf(manifest.files, tableOf(exporter), request);
  const engines: Engines =
    exporter.takes === 'messages' && request.engines !== undefined ? request.engines() : NO_ENGINES;
  return writeWholeFolder(request.out, async (root) => {
    const splits: SplitReport[] = [];
    for (const [split, files] of bySplit) {
      const place = { sink: root.folder(split), split, corpus, files, all: manifest.files };
      splits.push(await exportSplit(exporter, place, request, engines));
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
      ...(exporter.takes === 'messages' && 'unable' in engines ? { tokens_not_counted: engines.unable } : {}),
    };
    await root.text('README.md', exportReadme(report, exporter));
    return report;
  });
}

/** An option that an exporter does not know would be ignored in silence. */
function refuseOptions(exporter: Exporter, { options, offlinePolicy, scoreScale }: ExportRequest): void {
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
  if (options.pack === null && options.overlong !== 'error') {
    throw new TrajmillError('E_USAGE', '--overlong means nothing without --pack');
  }
  const consents = [
    ...(offlinePolicy ? ['--offline-policy'] : []),
    ...(scoreScale === null ? [] : ['--score-scale']),
  ];
  const [consent] = consents;
  if (consent !== undefined && tableOf(exporter) === 'sft') {
    throw new TrajmillError(
      'E_USAGE',
      `${consent} means nothing to the export ${exporter.name}: it holds no rewards`,
    );
  }
}

/** Which table an exporter reads. */
const tableOf = ({ takes }: Exporter): 'rl' | 'sft' => (takes === 'rl' || takes === 'stored' ? 'rl' : 'sft');

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

/** The reason stands in the report alone: it may name paths. */
const NOT_COUNTED =
  'Counted in turns, not in tokens: the tokenizer and template of the corpus are not at hand.';

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
  engines: Engines,
): Promise<SplitReport> {
  const { sink, split, corpus, files } = place;
  const { options } = request;
  if (exporter.takes === 'rl' || exporter.takes === 'stored') {
    return exportWindows(exporter, place, request);
  }
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
    // loaders fail on a file without rows
    if (counts['packs'] === 0) {
      throw new TrajmillError(
        'E_USAGE',
        `every row of split ${split} is longer than a pack of ${options.pack}; give a longer --pack`,
      );
    }
    return { ...size, counts: { ...counts, first_tokens_taken_out_of_the_mask: first }, differences: [] };
  }
  const turns = new TextDifference(exporter);
  const tokens = 'unable' in engines ? null : new TokenDifference(exporter, engines);
  const rows = passing(conversations(paths), (row) => {
    size.rows++;
    size.tokens += row.input_ids.length;
    size.trained += onesIn(row.loss_mask);
    turns.add(row);
    tokens?.add(row);
  });
  const counts = await exporter.export(rows, { sink, options });
  return {
    ...size,
    counts: { ...counts, ...turns.counts(), ...tokens?.counts() },
    differences: tokens?.sentences() ?? [...turns.sentences(), NOT_COUNTED],
  };
}

async function exportWindows(
  exporter: RlExporter | StoredExporter,
  place: SplitPlace,
  request: ExportRequest,
): Promise<SplitReport> {
  const shards = shardsOf(place, request);
  const { sink, split } = place;
  const consented = await askConsent(windowFacts(shards), request);
  const size = { split, rows: 0, tokens: 0, trained: 0 };
  const look = ({ input_ids, loss_mask }: { input_ids: ArrayLike<number>; loss_mask: ArrayLike<number> }) => {
    size.rows++;
    size.tokens += input_ids.length;
    size.trained += onesIn(loss_mask);
  };
  const { options } = request;
  if (exporter.takes === 'stored') {
    const paths = windowFiles(place).map(({ path }) => join(place.corpus, path));
    const context = { sink, options, withoutTokens: windowsWithoutTokens(paths) };
    const counts = await exporter.export(
      passing(storedSequences(shards), ({ rl }) => look(rl)),
      context,
    );
    const { windows, offline } = consented;
    return {
      ...size,
      counts: { windows_paid: windows, windows_without_policy_data: offline, ...counts },
      differences: [],
    };
  }
  const rows = passing(sequenceSources(shards), look);
  const counts = await exporter.export(rows, { sink, options, totals: consented });
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

function windowFiles({ all, split }: SplitPlace): ManifestFile[] {
  return all.filter((each) => each.table === 'windows' && each.split === split);
}

/** Each shard of sequences with the windows that the same task wrote. */
function shardsOf(place: SplitPlace, { dir }: ExportRequest): RlShard[] {
  const { corpus, files } = place;
  return files.map((file): RlShard => {
    const windows = windowFiles(place).filter(({ task }) => task === file.task);
    if (windows.length === 0) {
      throw new TrajmillError(
        'E_USAGE',
        `${file.path} has no windows beside it: their score scale is unknown`,
        { place: dir },
      );
    }
    return { rl: join(corpus, file.path), windows: windows.map(({ path }) => join(corpus, path)) };
  });
}

async function* passing<Row>(rows: AsyncIterable<Row>, look: (row: Row) => void): AsyncGenerator<Row> {
  for await (const row of rows) {
    look(row);
    yield row;
  }
}

function onesIn(mask: ArrayLike<number>): number {
  let ones = 0;
  for (let i = 0; i < mask.length; i++) ones += mask[i] ?? 0;
  return ones;
}
