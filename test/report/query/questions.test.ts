import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryCorpus } from '../../../src/report/query/query-corpus.js';
import { parseQuestion, questionParameters } from '../../../src/report/query/question.js';
import { namedQuestions, questionNamed } from '../../../src/report/query/question-files.js';
import { QUERY_VIEWS } from '../../../src/report/query/view-list.js';
import { repository, temporaryFolder } from '../../pipeline/child-run.js';
import { askRows, corpusAt, makeCorpus, storedRows } from './corpus.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

let source: QueryCorpus;
beforeAll(async () => {
  source = await corpusAt(await makeCorpus(home));
});

const questions = namedQuestions();
type Row = Record<string, unknown>;

async function answer(name: string, given: Record<string, string> = {}): Promise<Row[]> {
  const question = questionNamed(name);
  return askRows(source, question.sql, questionParameters(question, given));
}

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const present = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
const groups = <T>(rows: readonly T[], key: (row: T) => string): [string, T[]][] => {
  const found = new Map<string, T[]>();
  for (const row of rows) found.set(key(row), [...(found.get(key(row)) ?? []), row]);
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
};

describe('the named questions', () => {
  it('are at least fifteen, each with a title, a description and a name of its own', () => {
    expect(questions.length).toBeGreaterThanOrEqual(15);
    expect(new Set(questions.map(({ title }) => title)).size).toBe(questions.length);
    for (const { name, title, description } of questions) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(title.length, name).toBeGreaterThan(3);
      expect(description.length, name).toBeGreaterThan(20);
    }
    expect(readdirSync(join(repository, 'data/queries')).filter((file) => !file.endsWith('.sql'))).toEqual(
      [],
    );
  });

  it.each(questions.map(({ name }) => name))('@%s is answered over a corpus', async (name) => {
    const rows = await answer(name);
    // the samples hold no recorded policy data and all else
    expect(rows.length).toBeGreaterThan(0);
  });

  it.each(questions.filter(({ parameters }) => parameters.length > 0))(
    '@$name takes each of its parameters',
    async ({ name, parameters }) => {
      for (const { name: parameter, type } of parameters) {
        const given = { [parameter]: type === 'number' ? '1' : "nobody's; DROP VIEW windows" };
        expect((await answer(name, given)).length).toBeLessThanOrEqual((await answer(name)).length);
      }
    },
  );

  it('use every parameter that they declare, and no other', () => {
    for (const { name, sql, parameters } of questions) {
      const used = new Set([...sql.matchAll(/\$(\w+)/g)].map(([, parameter]) => parameter));
      expect([...used].sort(), name).toEqual(parameters.map((each) => each.name).sort());
    }
  });

  it('are answered without rows by a corpus without its run', async () => {
    cpSync(source.corpus, join(home, 'alone'), { recursive: true });
    const alone = await corpusAt(join(home, 'alone'));
    expect(alone).toMatchObject({ rejects: null, decisions: [] });
    expect(await askRows(alone, questionNamed('rejects-by-code').sql)).toEqual([]);
    expect(await askRows(alone, 'SELECT count(*) AS n FROM decisions')).toEqual([{ n: 0 }]);
    expect(await askRows(alone, 'SELECT count(*) AS n FROM tasks')).toEqual([{ n: alone.tasks.length }]);
  });
});

describe('the answer of', () => {
  it('@reward-by-task is that of the rows', async () => {
    const expected = groups(await storedRows(source, 'windows'), ({ task_id }) => String(task_id)).map(
      ([task_id, rows]) => {
        const rewards = present(rows.map(({ reward }) => reward));
        return {
          task_id,
          windows: rows.length,
          paid: rewards.length,
          mean_reward: rounded(mean(rewards), 3),
          lowest: Math.min(...rewards),
          highest: Math.max(...rewards),
        };
      },
    );
    expect(await answer('reward-by-task')).toEqual(expected);
    const scripted = await answer('reward-by-task', { model: 'scripted-agent' });
    expect(sum(scripted.map(({ windows }) => Number(windows)))).toBe(
      (await storedRows(source, 'windows')).filter(({ model }) => model === 'scripted-agent').length,
    );
  });

  it('@reward-by-outcome is that of the rows', async () => {
    const windows = await storedRows(source, 'windows');
    const tokens = sum(windows.map(({ n_trained }) => n_trained));
    const rows = await answer('reward-by-outcome');
    expect(rows).toHaveLength(new Set(windows.map(({ outcome }) => outcome)).size);
    for (const [outcome, own] of groups(windows, (row) => row.outcome)) {
      const rewards = present(own.map(({ reward }) => reward));
      const trained = sum(own.map(({ n_trained }) => n_trained));
      expect(rows.find((row) => row['outcome'] === outcome)).toEqual({
        outcome,
        windows: own.length,
        percent_of_windows: rounded((100 * own.length) / windows.length, 1),
        mean_reward: rewards.length === 0 ? null : rounded(mean(rewards), 3),
        trained_tokens: trained,
        percent_of_tokens: rounded((100 * trained) / tokens, 1),
      });
    }
  });

  it('@trend-transitions is that of the rows', async () => {
    const counts = new Map<string, number>();
    const windows = (await storedRows(source, 'windows')).filter(({ trend }) => trend !== null);
    for (const [, rows] of groups(windows, (row) => `${row.source_path}\n${row.trajectory_id}`)) {
      const ordered = rows.toSorted((a, b) => a.turn_start - b.turn_start);
      for (const [index, { trend }] of ordered.entries()) {
        const before = ordered[index - 1]?.trend;
        if (before !== undefined)
          counts.set(`${before} ${trend}`, (counts.get(`${before} ${trend}`) ?? 0) + 1);
      }
    }
    const rows = await answer('trend-transitions');
    expect(new Map(rows.map((row) => [`${row['from']} ${row['to']}`, row['times']]))).toEqual(counts);
    expect(counts.size).toBeGreaterThan(2);
  });

  it('@best-vs-thresholds is that of rows and task records', async () => {
    const rows = await answer('best-vs-thresholds');
    const stored = (await storedRows(source, 'trajectories')).filter((row) => row.n_submissions > 0);
    expect(rows).toHaveLength(stored.length);
    const reached = new Set<unknown>();
    for (const row of rows) {
      const task = source.tasks.find(({ task_id }) => task_id === row['task_id']);
      const best = row['best_score'] as number | null;
      const tiers = ['gold', 'silver', 'bronze', 'median'] as const;
      const sign = task?.is_lower_better === true ? -1 : 1;
      const tier = tiers.find((name) => {
        const threshold = task?.thresholds?.[name] ?? null;
        return best !== null && threshold !== null && sign * best >= sign * threshold;
      });
      expect(row['reaches'], String(row['source_path'])).toBe(
        best === null || task === undefined ? null : (tier ?? 'below'),
      );
      reached.add(row['reaches']);
    }
    expect(reached.size).toBeGreaterThan(3);
  });

  it('@time-to-first-submission is that of the rows', async () => {
    const expected: Row[] = [];
    const executions = await storedRows(source, 'executions');
    for (const [, rows] of groups(executions, (row) => `${row.source_path}\n${row.trajectory_id}`)) {
      const ordered = rows.toSorted((a, b) => a.order - b.order);
      const first = ordered.find(({ submitted }) => submitted);
      if (first === undefined) continue;
      const until = ordered.filter(({ order }) => order <= first.order);
      const seconds = present(until.map((row) => row.seconds));
      expected.push({
        trajectory_id: first.trajectory_id,
        executions: first.order + 1,
        turns: first.call_turn + 1,
        seconds: seconds.length === until.length ? rounded(sum(seconds), 3) : null,
      });
    }
    const rows = await answer('time-to-first-submission');
    const byId = (a: Row, b: Row): number =>
      String(a['trajectory_id']) < String(b['trajectory_id']) ? -1 : 1;
    const found = rows.map(({ trajectory_id, executions: n, turns, seconds }) => ({
      trajectory_id,
      executions: n,
      turns,
      seconds,
    }));
    expect(found.toSorted(byId)).toEqual(expected.toSorted(byId));
    expect(expected.length).toBeGreaterThan(5);
  });

  it('@advantage-spread is that of the rows', async () => {
    const windows = (await storedRows(source, 'windows')).filter((row) => row.sequence_id !== null);
    const paid = windows.filter(({ reward }) => reward !== null);
    const expected = groups(paid, ({ task_id }) => String(task_id)).map(([task_id, rows]) => {
      const means = groups(rows, (row) => String(row.sequence_id)).map(([, own]) =>
        mean(present(own.map(({ reward }) => reward))),
      );
      const deviation = Math.sqrt(mean(means.map((value) => (value - mean(means)) ** 2)));
      return { task_id, sequences: means.length, deviation };
    });
    const rows = await answer('advantage-spread');
    expect(rows).toHaveLength(expected.length);
    for (const { task_id, sequences, deviation } of expected) {
      const row = rows.find((each) => each['task_id'] === task_id);
      expect(row?.['sequences']).toBe(sequences);
      expect(row?.['deviation']).toBeCloseTo(deviation, 3);
    }
  });

  it('@duplicates names who survived, and @rejects-by-code what rejects.jsonl holds', async () => {
    const stored = (await storedRows(source, 'trajectories')).filter(
      ({ decision }) => decision === 'duplicate',
    );
    const duplicates = await answer('duplicates');
    expect(duplicates.map((row) => row['duplicate_of'])).toEqual(stored.map((row) => row.duplicate_of));
    expect(duplicates.every((row) => row['survivor_decision'] === 'kept')).toBe(true);
    const lines = readFileSync(source.rejects ?? '', 'utf8')
      .trim()
      .split('\n');
    const codes = lines.map((line) => (JSON.parse(line) as { code: string }).code);
    const rejects = await answer('rejects-by-code');
    expect(rejects.map((row) => row['code']).sort()).toEqual([...new Set(codes)].sort());
    expect(sum(rejects.map((row) => Number(row['records'])))).toBe(codes.length);
  });
});

describe('the views', () => {
  it('have the columns that are listed, in their order', async () => {
    for (const { name, columns } of QUERY_VIEWS) {
      const described = await askRows(source, `DESCRIBE ${name}`);
      expect(
        described.map((row) => row['column_name']),
        name,
      ).toEqual(columns.map((column) => column.name));
    }
  });

  it('hold every row and value that another reader finds', async () => {
    for (const table of ['sft', 'rl', 'windows', 'executions', 'trajectories'] as const) {
      const rows = await askRows(source, `SELECT * FROM ${table}`);
      const stored = await storedRows(source, table);
      const plain = stored.map((row) =>
        JSON.parse(
          JSON.stringify(row, (_, value: unknown) =>
            ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value,
          ),
        ),
      );
      expect(rows).toEqual(plain);
    }
  });

  it('hold what the manifest and the decisions say', async () => {
    const [{ n: files } = {}] = await askRows(source, 'SELECT count(*) AS n FROM files');
    expect(files).toBe(source.manifest.files.length);
    expect(await askRows(source, 'SELECT * FROM corpus')).toMatchObject([
      { plan_id: source.manifest.plan_id },
    ]);
    const decisions = await askRows(source, 'SELECT * FROM decisions');
    expect(decisions).toEqual(source.decisions.map((row) => ({ ...row })));
    expect(decisions.length).toBeGreaterThan(0);
    const [{ value } = {}] = await askRows(
      source,
      "SELECT sum(value) AS value FROM counts WHERE name = 'rejects'",
    );
    expect(value).toBe(Object.values(source.manifest.rejects).reduce((total, n) => total + n, 0));
  });
});

describe('the file of a question', () => {
  it('gives title, description, parameters with their defaults, and SQL', () => {
    const text =
      '-- A title\n-- Said in\n-- two lines.\n-- param top number = 5: how many\n-- param task text: one\nSELECT $top, $task\n';
    const question = parseQuestion('name', text);
    expect(question).toMatchObject({
      title: 'A title',
      description: 'Said in two lines.',
      sql: 'SELECT $top, $task',
    });
    expect(questionParameters(question, {})).toEqual({ top: 5, task: null });
    expect(questionParameters(question, { top: '7', task: '7' })).toEqual({ top: 7, task: '7' });
    expect(() => questionParameters(question, { top: 'many' })).toThrow('takes a number');
    expect(() => questionParameters(question, { wrong: '' })).toThrow('it has top, task');
  });

  it.each(['SELECT 1', '-- only a title', '-- t\n-- param x colour: y\nSELECT $x'])(
    'is refused: %s',
    (text) => {
      expect(() => parseQuestion('name', text)).toThrow('question name');
    },
  );
});
