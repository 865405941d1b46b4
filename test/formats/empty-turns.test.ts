import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTrajectories } from '../../src/formats/reader.js';
import { wholeSequence } from '../../src/pipeline/rows/sequences.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { encoder, renderer, rowsOf } from '../tokens/rows.js';

/** An ATIF document of these agent steps, each after a word of the user. */
async function readAtif(steps: readonly object[]): Promise<Trajectory> {
  const root = mkdtempSync(join(tmpdir(), 'trajmill-empty-'));
  const document = {
    schema_version: 'ATIF-v1.4',
    session_id: 's',
    agent: { name: 'a', version: '1', model_name: 'm' },
    steps: steps.flatMap((step) => [
      { source: 'user', message: 'go' },
      { source: 'agent', ...step },
    ]),
  };
  writeFileSync(join(root, 'a.json'), JSON.stringify(document));
  const request = { root, path: 'a.json', range: null, format: 'auto', siblings: null } as const;
  for await (const result of readTrajectories(request)) {
    if (result.kind === 'trajectory') return result.trajectory;
  }
  throw new Error('no trajectory');
}

function sequenceOf(trajectory: Trajectory) {
  const [plan] = planRows({
    trajectory,
    lastTurn: trajectory.turns.length - 1,
    strategy: 'preserve',
    renderer,
  });
  if (plan === undefined) throw new Error('no plan');
  const rlRowEncoder = createRowEncoder({ encoder, renderer, mask: maskSchema.parse({}) });
  return wholeSequence({ context: { encoder, rlRowEncoder }, trajectory, plan, windows: [] });
}

describe('a reply without words and calls', () => {
  it('stays in the log, is not trained, and is flagged: trajectory, supervised row and sequence', async () => {
    const run = await readAtif([{ message: 'one' }, { message: '' }, { message: 'three' }]);
    expect(run.turns).toHaveLength(6);
    expect(run.flags).toContain('empty_turns');
    const [row] = rowsOf(run);
    expect([row?.flags, row?.trained_turns]).toEqual([['empty_turn'], [1, 5]]);
    expect(sequenceOf(run).flags).toContain('empty_turn');
  });

  it('is flagged where its tokens were recorded too', async () => {
    const metrics = (prompt: number[], completion: number[]) => ({
      metrics: {
        prompt_token_ids: prompt,
        completion_token_ids: completion,
        logprobs: completion.map(() => -1),
      },
    });
    const run = await readAtif([
      { message: 'one', ...metrics([1, 2], [3]) },
      { message: '', ...metrics([1, 2, 3, 4], [5]) },
    ]);
    const sequence = sequenceOf(run);
    expect([...sequence.tokens.input_ids]).toEqual([1, 2, 3]);
    expect(sequence.flags).toContain('empty_turn');
  });

  it('is no call alone, and no reasoning alone', async () => {
    const call = { function_name: 'f', arguments: {} };
    const run = await readAtif([
      { message: '', tool_calls: [call] },
      { message: '', reasoning_content: 'hm' },
    ]);
    expect(run.flags).not.toContain('empty_turns');
    expect(sequenceOf(run).flags).not.toContain('empty_turn');
  });
});
