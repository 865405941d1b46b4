import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../cli/harness.js';
import { newFolder, RL_ROWS, WINDOW_ROWS, writeSplits } from '../../export/corpus.js';

/** Rollout log-probabilities of the trained tokens 1, 2, 4 and 6 of both sequences. */
const ROLLOUT = [-0.5, -0.25, -1, -2];

let corpus = '';
beforeAll(async () => {
  const [recorded, other] = RL_ROWS;
  if (recorded === undefined || other === undefined) throw new Error('no rows');
  const offline = { ...other, policy_data: 'offline' as const, rollout_log_probs: null, model: 'other' };
  corpus = await writeSplits({ train: { rl: [recorded, offline], windows: WINDOW_ROWS } });
});

function oldFile(lines: readonly unknown[]): string {
  const path = join(newFolder(), 'old.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

async function policyFigures(argv: readonly string[] = []): Promise<Map<string, [number | null, number]>> {
  const { code, out, err } = await cli(['stats', corpus, '--json', ...argv]);
  expect(code, err).toBe(0);
  const { figures } = JSON.parse(out) as {
    figures: { section: string; key: string; figure: string; value: number | null; n: number }[];
  };
  return new Map(
    figures
      .filter(({ section }) => section === 'policy')
      .map(({ key, figure, value, n }) => [`${key}: ${figure}`, [value, n]]),
  );
}

const AUDIT = ['--q-min', '0.5', '--q-max', '5'];

describe('the policy that sampled the tokens', () => {
  it('is known for a share of the trained tokens, by task, model and weights', async () => {
    const name = 'share of trained tokens with log-probabilities';
    const figures = await policyFigures();
    expect(figures.get(`all: ${name}`)).toEqual([0.5, 8]);
    expect(figures.get(`weights:7: ${name}`)).toEqual([1, 4]);
    expect(figures.get(`model:other: ${name}`)).toEqual([0, 4]);
    expect([...figures.keys()].filter((key) => key.includes('off policy'))).toEqual([]);
  });

  it('is compared with that of a trainer, token by token, where both log-probabilities are known', async () => {
    // ratios of tokens 1, 2, 4: 1, 0.25, 8; token 6 has none of the trainer
    const of = (rollout: number | undefined, q: number) => (rollout ?? 0) + Math.log(q);
    const log_probs = [-9, of(ROLLOUT[0], 1), of(ROLLOUT[1], 0.25), -9, of(ROLLOUT[2], 8), -9, null, -9];
    const old = oldFile([{ sequence_id: 's0', log_probs }]);
    const figures = await policyFigures(['--old', old, ...AUDIT]);
    const value = (name: string) => figures.get(`all: ${name}`)?.[0];
    expect(figures.get('all: share off policy')).toEqual([2 / 3, 3]);
    expect([value('share below q_min'), value('share above q_max')]).toEqual([1 / 3, 1 / 3]);
    expect(value('mean q')).toBeCloseTo((1 + 0.25 + 8) / 3, 6);
    expect([value('least q'), value('greatest q')].map((q) => Number(q?.toFixed(6)))).toEqual([0.25, 8]);
    const k3 = (q: number) => q - 1 - Math.log(q);
    expect(value('KL(rollout || old), nats a token')).toBeCloseTo((k3(0.25) + k3(8)) / 3, 6);
    expect(figures.has('model:other: share off policy')).toBe(false);
  });

  it('is printed for people', async () => {
    const { out } = await cli(['stats', corpus]);
    expect(out).toContain('The policy that sampled the tokens');
    expect(out).toMatch(/share of trained tokens with log-probabilities +50\.0%/);
  });

  it.each([
    ['a band without log-probabilities', AUDIT, 'must be given together'],
    ['log-probabilities without a band', ['--old', 'x'], 'must be given together'],
    ['an empty band', ['--old', 'x', '--q-min', '2', '--q-max', '1'], 'is above'],
    ['a file that is not there', ['--old', 'nowhere.jsonl', ...AUDIT], 'cannot be read'],
  ])('refuses %s', async (_, argv, message) => {
    const { code, err } = await cli(['stats', corpus, ...argv]);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });

  it.each([
    ['a sequence that is not there', [{ sequence_id: 'x', log_probs: [] }], 'has no sequence x'],
    [
      'a list of another length',
      [{ sequence_id: 's0', log_probs: [-1] }],
      '1 log-probabilities for the 8 ids',
    ],
    ['a line of another form', [{ sequence_id: 's0' }], 'old.jsonl:1'],
    [
      'a sequence twice',
      [
        { sequence_id: 's0', log_probs: [] },
        { sequence_id: 's0', log_probs: [] },
      ],
      's0 stands twice',
    ],
  ])('refuses %s in the file', async (_, lines, message) => {
    const { code, err } = await cli(['stats', corpus, '--old', oldFile(lines), ...AUDIT]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
