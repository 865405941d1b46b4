import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readManifest } from '../../src/tables/manifest.js';
import { readShard } from '../../src/tables/read-shard.js';
import { type SftRow, TABLES, type TrajectoryRow, type WindowRow } from '../../src/tables/table-specs.js';
import { fingerprint, repository, temporaryFolder, trajmill, writePipeline } from './child-run.js';

const home = temporaryFolder();
const logs = join(home, 'logs');

/** All options at once, over the sample logs and a nearly equal copy of a run. */
const OPTIONS = `
near_duplicates: {}
caps: { task: 3, survive: seeded }
mix: { stages: { mle: 2 } }
stage: mle
splits: { validation: 0.5 }
seed: 11
decontamination:
  files: [held-out.yaml]
  texts: ['descriptions/*.md']
`;

beforeAll(() => {
  cpSync(join(repository, 'data/samples/logs'), logs, { recursive: true });
  const chats = join(logs, 'openai-messages', 'rollouts-1.jsonl');
  const [line = ''] = readFileSync(chats, 'utf8').split('\n');
  const row = JSON.parse(line) as { id: string; messages: { role: string; content: string }[] };
  row.id = 'near-copy';
  const last = row.messages.findLast(({ role, content }) => role === 'assistant' && content !== null);
  if (last !== undefined) last.content += ' Indeed.';
  writeFileSync(join(logs, 'openai-messages', 'rollouts-3.jsonl'), `${JSON.stringify(row)}\n`);
  writeFileSync(join(home, 'held-out.yaml'), 'name: mine\nids: [sample__textkit-1]\n');
  mkdirSync(join(home, 'descriptions'));
  const clockkit = readFileSync(
    join(logs, 'mini-swe-agent/sample__clockkit-1/sample__clockkit-1.traj.json'),
    'utf8',
  );
  const task = (JSON.parse(clockkit) as { messages: { content: string }[] }).messages[1]?.content ?? '';
  writeFileSync(join(home, 'descriptions', 'clock.md'), task);
});

function pipelineOf(
  name: string,
  options: string,
  changes: (text: string) => string = (text) => text,
): string {
  const path = writePipeline(home, (text) =>
    changes(`${text.replace(/globs: .*/, "globs: ['logs/**/*']")}${options}`),
  );
  const named = join(home, `${name}.yaml`);
  writeFileSync(named, readFileSync(path));
  return named;
}

async function run(name: string, pipeline: string, ...args: string[]) {
  const out = join(home, `out-${name}`);
  const child = await trajmill(['run', pipeline, '--out', out, '--json', ...args]);
  expect(child.code, child.stderr).toBe(0);
  return { out, summary: JSON.parse(child.stdout) as Record<string, never>, text: child.stderr };
}

async function rowsOf<T extends 'sft' | 'trajectories' | 'windows'>(out: string, table: T) {
  const corpus = join(out, 'corpus');
  const rows: unknown[] = [];
  const { manifest } = await readManifest(corpus);
  for (const file of manifest.files) {
    if (file.table !== table) continue;
    for await (const row of readShard(join(corpus, file.path), TABLES[table])) rows.push(row);
  }
  return rows as (T extends 'sft' ? SftRow : T extends 'windows' ? WindowRow : TrajectoryRow)[];
}

describe('options over the whole corpus', () => {
  it('give the same bytes for any number of workers and shards, and account for everything', async () => {
    const pipeline = pipelineOf('all', OPTIONS);
    const { out, summary, text } = await run('all', pipeline, '--workers', '1');
    const { read, kept, filtered, rejected, duplicates } = summary as Record<string, number>;
    expect(read).toBe((kept ?? 0) + (filtered ?? 0) + (rejected ?? 0) + (duplicates ?? 0));
    expect(summary).toMatchObject({
      duplicates_by_reason: { equal_turns: 1, near_duplicate: expect.any(Number) },
      filtered_by_reason: { decontaminated: 2, cap_task: expect.any(Number) },
      decontamination: ['mine', 'clock.md'],
    });
    expect(text).toMatch(/Held out +mine, clock\.md/);

    const shards = join(home, 'out-shards');
    for (const shard of ['1/3', '0/3', '2/3']) {
      const child = await trajmill(['run', pipeline, '--out', shards, '--shard', shard]);
      expect(child.code, child.stderr).toBe(0);
    }
    expect(fingerprint(shards)).toEqual(fingerprint(out));
    for (const name of readdirSync(join(out, 'decisions'))) {
      expect(readFileSync(join(shards, 'decisions', name))).toEqual(
        readFileSync(join(out, 'decisions', name)),
      );
    }

    const rows = await rowsOf(out, 'trajectories');
    const by = (reason: string) => rows.filter((row) => row.reason === reason);
    expect(
      by('decontaminated').map(({ task_id, detail }) => [task_id, detail?.split(' ').slice(0, 3)]),
    ).toEqual([
      ['sample__clockkit-1', ['what', 'it', 'was']],
      ['sample__textkit-1', ['list', 'mine', 'holds']],
    ]);
    const near = by('near_duplicate').find(({ source_path }) => source_path.endsWith('rollouts-3.jsonl'));
    expect(near).toMatchObject({ decision: 'duplicate', detail: expect.stringContaining('similarity') });
    const survivor = rows.find(
      ({ trajectory_id, decision }) => trajectory_id === near?.duplicate_of && decision !== 'duplicate',
    );
    expect(survivor?.source_path).toContain('rollouts-1.jsonl');
    const keptByTask = new Map<string, number>();
    for (const { decision, task_id } of rows) {
      if (decision === 'kept') keptByTask.set(task_id ?? '', (keptByTask.get(task_id ?? '') ?? 0) + 1);
    }
    expect(Math.max(...keptByTask.values())).toBe(3);
    const splits = new Map<string, Set<string>>();
    for (const { weight, stage, task_id, split } of await rowsOf(out, 'sft')) {
      expect([weight, stage]).toEqual([2, 'mle']);
      splits.set(task_id ?? '', (splits.get(task_id ?? '') ?? new Set()).add(split));
    }
    expect([...splits.values()].map((own) => own.size)).toEqual([1, 1, 1]);
    expect(new Set([...splits.values()].flatMap((own) => [...own])).size).toBe(2);
  });

  it('take thresholds from the corpus itself and say so', async () => {
    const quantiles = '{ quantiles: { gold: 1, silver: 0.8, bronze: 0.5, median: 0.5 } }';
    const pipeline = pipelineOf('quantiles', 'tables: [sft, windows, trajectories]\n', (text) =>
      text
        .replace('tasks:\n', `tasks:\n  thresholds: { sample-frost-damage: ${quantiles} }\n`)
        .replace('quality: median', 'quality: bronze'),
    );
    const { out } = await run('quantiles', pipeline);
    const { thresholds } = JSON.parse(readFileSync(join(out, 'decisions.json'), 'utf8')) as {
      thresholds: { task_id: string; gold: number; bronze: number; n: number }[];
    };
    expect(thresholds).toHaveLength(1);
    const [frost] = thresholds;
    const sft = await rowsOf(out, 'sft');
    const ofFrost = sft.filter(({ task_id }) => task_id === 'sample-frost-damage');
    expect(ofFrost.length).toBeGreaterThan(0);
    for (const row of ofFrost) {
      expect(row.threshold_source).toBe('corpus_quantiles');
      expect(row.anchor_score).toBeGreaterThanOrEqual(0);
    }
    const others = sft.filter(({ task_id }) => task_id !== 'sample-frost-damage');
    expect(new Set(others.map((row) => row.threshold_source))).toEqual(new Set(['baselines']));
    const windows = (await rowsOf(out, 'windows')).filter(({ task_id }) => task_id === 'sample-frost-damage');
    const best = Math.max(
      ...windows.flatMap(({ score, score_scale }) =>
        score_scale === 'test' && score !== null ? [score] : [],
      ),
    );
    expect(frost?.gold).toBe(best);
    for (const window of windows) {
      expect(window.threshold_source).toBe('corpus_quantiles');
      if (window.medal !== null && window.score !== null) {
        expect(window.medal !== 'none').toBe(window.score >= (frost?.bronze ?? Number.NaN));
      }
    }
  });

  it('take the scores that feedback exposes out of every row, not out of the columns', async () => {
    const pipeline = pipelineOf('redact', 'tables: [sft, trajectories]\n', (text) =>
      text.replace('tasks:\n', 'tasks:\n  feedback_exposes_test_score: redact\n'),
    );
    const { out, summary } = await run('redact', pipeline);
    // the feedback of the native record is free text, in which no score can be found for sure
    expect(summary['rejected_by_code']).toEqual({
      direction_contradicts_task: 1,
      exposes_test_score: 1,
      torn_line: 1,
    });
    const sft = await rowsOf(out, 'sft');
    const formats = new Set<string>();
    for (const row of sft) {
      const messages = JSON.parse(row.messages) as { role: string; content: string | null }[];
      const shown = messages.filter(({ role }) => role !== 'assistant').map(({ content }) => content ?? '');
      expect(shown.join('\n')).not.toContain(String(row.anchor_score));
      if (shown.some((content) => content.includes('[redacted]'))) formats.add(row.source_format);
      expect(row.anchor_score).not.toBeNull();
    }
    expect([...formats].sort()).toEqual(['atif', 'mle-dojo', 'openai-messages', 'rllm-episode']);
  });
});

describe('the two-stage pipeline', () => {
  it('selects by stage and weighs stages by their shares', async () => {
    const { out, summary } = await run('stages', join(repository, 'pipelines', 'hierarchical-sft.yaml'));
    expect(summary).toMatchObject({ decontamination: ['mle-bench', 'naturebench'] });
    const sft = await rowsOf(out, 'sft');
    const weights = new Map<string, number>();
    for (const row of sft) {
      expect(row.rules.includes('whole')).toBe(row.stage === 'general');
      weights.set(row.stage ?? '', row.weight);
    }
    const kept = (await rowsOf(out, 'trajectories')).filter(({ decision }) => decision === 'kept');
    const mass = (stage: string) =>
      kept.filter((row) => row.stage === stage).length * (weights.get(stage) ?? 0);
    expect(mass('general') / (mass('general') + mass('mle'))).toBeCloseTo(0.3, 9);
    expect(new Set(kept.map(({ source }) => source))).toEqual(new Set(['coding', 'gym', 'chats']));
  });

  it('takes its inputs by stage from the command line, and says how', async () => {
    const pipeline = join(repository, 'pipelines', 'hierarchical-sft.yaml');
    const glob = `${repository}/data/samples/logs/swe-agent/**/*`;
    const plain = await trajmill(['plan', pipeline, '--input', glob, '--out', join(home, 'out-flags')]);
    expect(plain.code).toBe(2);
    expect(plain.stderr).toContain('--input STAGE=GLOB');
    const staged = await trajmill([
      'plan',
      pipeline,
      '--input',
      `general=${glob}`,
      '--out',
      join(home, 'out-flags'),
    ]);
    expect(staged.code, staged.stderr).toBe(0);
    const plan = JSON.parse(readFileSync(join(home, 'out-flags', 'plan.json'), 'utf8')) as {
      body: { inputs: { stage: string }[] };
    };
    expect(plan.body.inputs.map(({ stage }) => stage)).toEqual(['general']);
  });
});
