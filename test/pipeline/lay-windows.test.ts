import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Segment } from '../../src/chat/segment.js';
import { layWindows } from '../../src/pipeline/rows/rl-rows.js';
import type { ExecutionWindow, Outcome } from '../../src/windows/window.js';

function makeWindow(index: number, outcome: Outcome, spans: [number, number][]): ExecutionWindow {
  return {
    index,
    epoch: 0,
    execution_id: `x${index}`,
    parent: null,
    turn_start: spans[0]?.[0] ?? 0,
    turn_end: spans.at(-1)?.[0] ?? 0,
    spans,
    outcome,
    score: null,
    score_scale: null,
    previous_score: null,
    trend: null,
    medal: null,
    reward: outcome === 'infrastructure' ? null : -1,
    seconds: null,
    completed_at: null,
    flags: [],
  };
}

const glue = (part: Segment['part'], turn: number): Segment => ({
  text: 'g',
  part,
  turn,
  span: -1,
  glue: true,
});
const words = (turn: number, span: number): Segment => ({ text: 'w', part: 'text', turn, span, glue: false });

/** One token a segment; everything but headers and observations is trained. */
function rowOf(segments: readonly Segment[]) {
  return {
    input_ids: Int32Array.from(segments.keys()),
    loss_mask: Uint8Array.from(segments, ({ part }) => (part === 'header' || part === 'context' ? 0 : 1)),
    segment_of_token: Int32Array.from(segments.keys()),
    segments,
  };
}

describe('windows over tokens', () => {
  it('gives a turn with two calls to two windows, its stop token to the last, and the tail to none', () => {
    const segments = [
      glue('context', 0),
      glue('header', 1),
      words(1, 0),
      words(1, 1),
      words(1, 2),
      glue('stop', 1),
      glue('context', 2),
      glue('header', 3),
      words(3, 0),
      glue('stop', 3),
    ];
    const windows = [
      makeWindow(0, 'error', [
        [1, 0],
        [1, 1],
      ]),
      makeWindow(1, 'error', [[1, 2]]),
    ];
    const { laid, windowIndex, lossMask } = layWindows(rowOf(segments), windows);
    expect([...windowIndex]).toEqual([-1, -1, 0, 0, 1, 1, -1, -1, -1, -1]);
    expect([...lossMask]).toEqual([0, 0, 1, 1, 1, 1, 0, 0, 0, 0]);
    expect(laid.map(({ token_start, token_end, n_trained }) => [token_start, token_end, n_trained])).toEqual([
      [2, 4, 2],
      [4, 6, 2],
    ]);
  });

  it('keeps the tokens of a window whose harness failed as context', () => {
    const segments = [
      glue('header', 0),
      words(0, 0),
      glue('stop', 0),
      glue('header', 1),
      words(1, 0),
      glue('stop', 1),
    ];
    const windows = [makeWindow(0, 'infrastructure', [[0, 0]]), makeWindow(1, 'gold', [[1, 0]])];
    const { laid, lossMask } = layWindows(rowOf(segments), windows);
    expect(laid.map((each) => each.n_trained)).toEqual([0, 2]);
    expect([...lossMask]).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('puts every trained token into exactly one window, in order, or takes it out of the mask', () => {
    const turns = fc.array(fc.record({ spans: fc.integer({ min: 1, max: 4 }), call: fc.boolean() }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(turns, (plan) => {
        const segments: Segment[] = [];
        const windows: ExecutionWindow[] = [];
        let open: [number, number][] = [];
        plan.forEach(({ spans, call }, turn) => {
          segments.push(glue('header', turn));
          for (let span = 0; span < spans; span++) {
            segments.push(words(turn, span));
            open.push([turn, span]);
          }
          segments.push(glue('stop', turn), glue('context', -1));
          if (call) {
            windows.push(makeWindow(windows.length, 'error', open));
            open = [];
          }
        });
        const row = rowOf(segments);
        const { laid, windowIndex, lossMask } = layWindows(row, windows);
        expect(laid).toHaveLength(windows.length);
        const counts = laid.map(() => 0);
        lossMask.forEach((trained, token) => {
          const index = windowIndex[token] ?? -1;
          if (trained === 1) counts[index] = (counts[index] ?? 0) + 1;
          if (index === -1) expect(trained).toBe(0);
        });
        expect(counts).toEqual(laid.map((each) => each.n_trained));
        const ends = laid.flatMap((each) => [each.token_start, each.token_end]);
        expect(ends).toEqual([...ends].sort((a, b) => a - b));
        const unwound = [...row.loss_mask].filter((trained, token) => trained === 1 && lossMask[token] === 0);
        const openTurns = new Set(open.map(([turn]) => turn)).size;
        expect(unwound).toHaveLength(open.length + openTurns);
      }),
    );
  });
});
