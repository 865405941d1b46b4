import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layWindows } from '../../src/pipeline/rows/rl-rows.js';
import { dividedSequence, type Sequence, wholeSequence } from '../../src/pipeline/rows/sequences.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { windowSchema } from '../../src/windows/options.js';
import { segmentWindows } from '../../src/windows/segment.js';
import { encoder, renderer, thought } from '../tokens/rows.js';
import { type RunEvent, runOf, text } from '../windows/synthetic-run.js';

const mask = maskSchema.parse({ truncated: 'train_without_stop', malformed_calls: 'train' });
const context = { encoder, rlRowEncoder: createRowEncoder({ encoder, renderer, mask }) };

const words = (count: number): string => ' word'.repeat(count);

/** A run whose experiments have replies and feedback of some lengths, and before each a number of turns without one. */
interface Step {
  readonly said: number;
  readonly shown: number;
  readonly before: number;
}

function runOfSteps(steps: readonly Step[]): Trajectory {
  const events: RunEvent[] = steps.map(() => ({ exec: 'error' }));
  const run = runOf(events);
  const turns: Turn[] = run.turns.slice(0, 1);
  const executions = steps.map(({ said, shown, before }, i) => {
    const reply = run.turns[1 + 2 * i] as Turn;
    const feedback = run.turns[2 + 2 * i] as Turn;
    for (let n = 0; n < before; n++) {
      turns.push({ ...reply, spans: [text(`look ${i} ${n}${words(said)}`)] });
      turns.push({ ...feedback, spans: feedback.spans.map((s) => ({ ...s, text: `seen${words(shown)}` })) });
    }
    const call_turn = turns.length;
    turns.push({ ...reply, spans: [text(`try ${i}${words(said)}`), ...reply.spans.slice(1)] });
    turns.push({
      ...feedback,
      spans: feedback.spans.map((s) => ({ ...s, text: `out ${i}${words(shown)}` })),
    });
    const execution = run.executions[i];
    if (execution === undefined) throw new Error('no execution');
    return { ...execution, call_turn, feedback_turn: call_turn + 1 };
  });
  return { ...run, turns, executions, epochs: [{ turns: turns.map((_, i) => i), reason: null }] };
}

/** The same with recorded tokens: token ids that say where they come from, and log-probabilities. */
function recorded(run: Trajectory): Trajectory {
  let sequence: number[] = [];
  const turns = run.turns.map((turn, t) => {
    const ids = turn.spans.flatMap((span) => span.text.split(' ').map((_, i) => t * 1000 + i));
    if (turn.role !== 'assistant') {
      sequence = [...sequence, ...ids];
      return turn;
    }
    const policy = {
      prompt_ids: sequence,
      response_ids: ids,
      logprobs: ids.map((id) => -id / 1e6),
      weight_version: '7',
    };
    sequence = [...sequence, ...ids];
    return { ...turn, policy };
  });
  return { ...run, turns };
}

interface Laid {
  readonly index: number;
  /** ids and, where recorded, log-probabilities of the trained tokens */
  readonly trained: readonly number[];
  readonly sequence: Pick<Sequence, 'part' | 'context_cut' | 'policy_data' | 'flags'> & {
    ids: readonly number[];
  };
}

function laidIn(sequence: Sequence, windows: ReturnType<typeof segmentWindows>['windows']): Laid[] {
  const { laid, lossMask, windowIndex } = layWindows(sequence.tokens, windows);
  const ids = [...sequence.tokens.input_ids];
  if (sequence.rollout_log_probs !== null) expect(sequence.rollout_log_probs).toHaveLength(ids.length);
  return laid.map(({ window }, at) => ({
    index: window.index,
    trained: ids.filter((_, i) => lossMask[i] === 1 && windowIndex[i] === at),
    sequence: { ...sequence, ids },
  }));
}

function divide(trajectory: Trajectory, limit: number): { whole: Laid[]; parts: Laid[]; tokens: number } {
  const { windows } = segmentWindows(trajectory, null, windowSchema.parse({}));
  const [plan] = planRows({
    trajectory,
    lastTurn: trajectory.turns.length - 1,
    strategy: 'preserve',
    renderer,
  });
  if (plan === undefined) throw new Error('no plan');
  const request = { context, trajectory, plan, windows };
  const sequence = wholeSequence(request);
  const tokens = sequence.tokens.input_ids.length;
  const whole = laidIn(sequence, windows);
  const parts: Laid[] = [];
  // the arrays of a part live until the next one
  for (const part of dividedSequence(request, limit)) parts.push(...laidIn(part, windows));
  return { whole, parts, tokens };
}

const steps = fc.array(fc.record({ said: fc.nat(30), shown: fc.nat(60), before: fc.nat(2) }), {
  minLength: 1,
  maxLength: 7,
});

describe.each([
  ['encoded anew', (run: Trajectory) => run],
  ['recorded', recorded],
])('a sequence that is too long, %s', (_, as) => {
  it('becomes several that fit; each window is whole in one of them, or in none', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 30, max: 500 }), (list, limit) => {
        const { whole, parts } = divide(as(runOfSteps(list)), limit);
        const indices = parts.map(({ index }) => index);
        expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
        for (const { index, trained, sequence } of parts) {
          expect(sequence.ids.length).toBeLessThanOrEqual(limit);
          expect(trained).toEqual(whole.find((window) => window.index === index)?.trained);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('loses only windows that do not fit beside the task', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 200 }), (list, more) => {
        const run = as(runOfSteps(list));
        // room for the longest window alone, with the task and the glue of a rendering
        const alone = list.map((_, i) => divide(as(runOfSteps(list.slice(i, i + 1))), 1).tokens);
        const { whole, parts } = divide(run, Math.max(...alone) + 16 + more);
        expect(parts.map(({ index }) => index)).toEqual(whole.map(({ index }) => index));
      }),
      { numRuns: 40 },
    );
  });

  it('starts with the task everywhere, and ends with the newest turns before the window', () => {
    const { whole, parts } = divide(
      as(runOfSteps(new Array(6).fill({ said: 20, shown: 40, before: 1 }))),
      300,
    );
    expect(parts).toHaveLength(6);
    const all = whole[0]?.sequence.ids ?? [];
    expect(new Set(parts.map(({ sequence }) => sequence.part)).size).toBeGreaterThan(1);
    for (const { sequence } of parts) {
      const same = sequence.ids.findIndex((id, i) => id !== all[i]);
      expect(sequence.flags.includes('context_cut')).toBe(sequence.context_cut);
      expect(same === -1 || same >= 2).toBe(true);
      // the template may put an empty think block into the last turn of a rendering
      const lastTurn = sequence.ids.length - 60;
      expect(sequence.context_cut).toBe(same !== -1 && same < lastTurn);
    }
  });
});

describe('a sequence that is cut behind a turn without reasoning', () => {
  const run = runOfSteps(new Array(4).fill({ said: 20, shown: 40, before: 0 }));
  const THINK = '<think>\n\n</think>\n\n';

  /** The sequences, each once. */
  const sequences = (trajectory: Trajectory) => [
    ...new Map(divide(trajectory, 200).parts.map((part) => [part.sequence.part, part])).values(),
  ];

  const textOf = (ids: readonly number[]): string =>
    Buffer.concat(ids.map((id) => Buffer.from(encoder.tokenBytes(id)))).toString();

  it('says that the template put an empty think block there, and does not train it', () => {
    const parts = sequences(run);
    expect(parts.length).toBeGreaterThan(1);
    for (const { sequence, trained } of parts) {
      expect(sequence.flags).toContain('empty_think_at_cut');
      const text = textOf(sequence.ids);
      expect(text.slice(text.lastIndexOf('assistant\n'))).toContain(THINK);
      expect(textOf(trained)).not.toContain('<think>');
    }
    for (const { sequence } of divide(run, 10_000).whole) {
      expect(sequence.flags).not.toContain('empty_think_at_cut');
      expect(textOf(sequence.ids)).not.toContain(THINK);
    }
  });

  it('says nothing of recorded tokens, or where reasoning was recorded', () => {
    for (const { sequence } of sequences(recorded(run))) {
      expect(sequence.flags).not.toContain('empty_think_at_cut');
    }
    const thinking = run.turns.map((turn) =>
      turn.role === 'assistant' ? { ...turn, spans: [thought('why'), ...turn.spans] } : turn,
    );
    for (const { sequence } of sequences({ ...run, turns: thinking })) {
      expect(sequence.flags).not.toContain('empty_think_at_cut');
    }
  });
});

describe('a recorded sequence that is divided', () => {
  const run = recorded(runOfSteps(new Array(5).fill({ said: 10, shown: 30, before: 0 })));

  it('keeps log-probabilities only where the context is what the policy saw', () => {
    const { parts } = divide(run, 100);
    const facts = parts.map(({ sequence }) => [sequence.context_cut, sequence.policy_data]);
    expect(facts.slice(0, 2)).toEqual([
      [false, 'recorded'],
      [false, 'recorded'],
    ]);
    expect(facts.at(-1)).toEqual([true, 'offline']);
  });

  it('is cut between the end of a prompt and the start of a response', () => {
    const { whole, parts } = divide(run, 100);
    const all = whole[0]?.sequence.ids ?? [];
    const task = all.filter((id) => id < 1000);
    for (const { sequence } of parts) {
      if (!sequence.context_cut) continue;
      expect(sequence.ids.slice(0, task.length)).toEqual(task);
      const rest = sequence.ids.slice(task.length);
      const at = all.indexOf(rest[0] ?? -1);
      expect(rest).toEqual(all.slice(at, at + rest.length));
      const turn = Math.floor((rest[0] ?? 0) / 1000);
      expect([run.turns[turn]?.role, (rest[0] ?? 0) % 1000]).toEqual(['assistant', 0]);
    }
  });
});
