import { describe, expect, it } from 'vitest';
import { type ReadResult, readTrajectories } from '../../src/formats/reader.js';
import type { Execution } from '../../src/trajectory/execution.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { DATA_DIR, type ExpectedSession, readFacts, SAMPLES_DIR, submissionsOf } from './samples.js';

const facts = readFacts(DATA_DIR);
const primaries = facts.files.filter((file) => file.sidecar !== true);

/** Formats whose logs hold the grader's own scores in a place that is known. */
const TEST_SCORES = new Set(['mle-dojo', 'rllm-episode']);

/** The tools of the sample agents, for formats that have no tools of their own. */
const EXPERIMENTS = Object.fromEntries(
  ['openai-messages', 'atif'].map((format) => [
    format,
    { experiment: ['execute_code'], scoring: ['submit'] },
  ]),
);

async function readAll(path: string): Promise<ReadResult[]> {
  const results: ReadResult[] = [];
  const request = { root: SAMPLES_DIR, path, range: null, format: 'auto', siblings: null };
  for await (const result of readTrajectories({ ...request, experiments: EXPERIMENTS })) results.push(result);
  return results;
}

function trajectoriesOf(results: readonly ReadResult[]): Trajectory[] {
  return results.flatMap((result) => (result.kind === 'trajectory' ? [result.trajectory] : []));
}

/** Pairs of what the run did and what was read, by order; the kinds have to agree. */
function pairs(
  session: ExpectedSession,
  trajectory: Trajectory,
): [ExpectedSession['executions'][number], Execution][] {
  const wanted = session.executions.filter((execution) => execution.kind !== 'other');
  const found = trajectory.executions.filter((execution) => execution.kind !== 'other');
  expect(found.map((one) => one.kind)).toEqual(wanted.map((one) => one.kind));
  return wanted.flatMap((one, i) => {
    const other = found[i];
    return other === undefined ? [] : [[one, other] as [typeof one, Execution]];
  });
}

describe.each(primaries)('$path', (file) => {
  it('is recognised, and gives its sessions and rejects', async () => {
    const results = await readAll(file.path);
    const formats = results.map((r) => (r.kind === 'trajectory' ? r.detection.format : file.format));
    expect(new Set(formats)).toEqual(new Set([file.format]));
    expect(trajectoriesOf(results)).toHaveLength(file.trajectories.length);
    const rejects = results.flatMap((r) =>
      r.kind === 'reject' ? [{ line: r.reject.line, code: r.reject.code }] : [],
    );
    expect(rejects).toEqual(file.rejects);
  });

  it('has the turns and tasks of its sessions', async () => {
    const trajectories = trajectoriesOf(await readAll(file.path));
    for (const [i, session] of file.trajectories.entries()) {
      const trajectory = trajectories[i];
      const replies = trajectory?.turns.filter((turn) => turn.role === 'assistant');
      expect(replies, session.name).toHaveLength(session.n_model_turns);
      // AIDE names no task: its path does.
      if (file.format !== 'aide-journal') expect(trajectory?.task_id).toBe(session.task_id);
    }
  });

  it('has their executions, none worse or better than it was', async () => {
    const trajectories = trajectoriesOf(await readAll(file.path));
    for (const [i, session] of file.trajectories.entries()) {
      const trajectory = trajectories[i];
      if (trajectory === undefined) throw new Error(`${session.name} was not read`);
      for (const [wanted, found] of pairs(session, trajectory)) {
        const place = `${session.name}, execution ${wanted.order}`;
        if (found.seconds !== null) {
          // Some formats log the limit in place of the time until the stop.
          const slack = wanted.status === 'timeout' ? 1 : 0.05;
          expect(Math.abs(found.seconds - (wanted.seconds ?? Number.NaN)), place).toBeLessThan(slack);
        }
        if (wanted.kind === 'scoring') continue;
        // A chat without exit codes may leave open how a program ended, but may not say the opposite.
        if (found.status === 'unknown') expect(EXPERIMENTS, place).toHaveProperty(file.format);
        else expect(found.status, place).toBe(wanted.status);
      }
    }
  });

  it('has the scores of the grader, or those that the agent reported', async () => {
    const trajectories = trajectoriesOf(await readAll(file.path));
    for (const [i, session] of file.trajectories.entries()) {
      const found = trajectories[i]?.submissions.filter((one) => one.gradable) ?? [];
      const wanted = submissionsOf(session);
      if (TEST_SCORES.has(file.format)) {
        expect(
          found.map((one) => [one.score, one.scale, one.stale]),
          session.name,
        ).toEqual(
          wanted.filter((one) => one.outcome === 'graded').map((one) => [one.score_test, 'test', one.stale]),
        );
      } else if (file.format === 'aide-journal') {
        expect(
          found.map((one) => [one.score, one.scale]),
          session.name,
        ).toEqual(
          wanted.flatMap((one) =>
            (one.score_self_reported ?? null) === null ? [] : [[one.score_self_reported, 'self_reported']],
          ),
        );
      }
    }
  });
});

describe('sidecars and copies', () => {
  it('a history is the sidecar of its messages', async () => {
    for (const file of facts.files.filter((one) => one.sidecar === true)) {
      const of = file.path.replace('_env_history', '_agent_trajectory');
      expect(await readAll(file.path)).toEqual([{ kind: 'sidecar', path: file.path, of }]);
    }
  });

  it('the copied row has the identity of the first', async () => {
    const [first, second] = await Promise.all(
      ['rollouts-1.jsonl', 'rollouts-2.jsonl'].map((name) => readAll(`logs/openai-messages/${name}`)),
    );
    const ids = new Set(trajectoriesOf(first ?? []).map((one) => one.trajectory_id));
    expect(trajectoriesOf(second ?? []).filter((one) => ids.has(one.trajectory_id))).toHaveLength(1);
  });

  it('reasoning is read where it was logged', async () => {
    const spoken: string[] = [];
    for (const file of primaries) {
      const trajectories = trajectoriesOf(await readAll(file.path));
      file.trajectories.forEach((session, i) => {
        const spans = trajectories[i]?.turns.flatMap((turn) => turn.spans) ?? [];
        if (spans.some((span) => span.kind === 'reasoning')) spoken.push(session.name);
      });
    }
    expect([...new Set(spoken)].sort()).toEqual(facts.coverage['reasoning']);
  });
});
