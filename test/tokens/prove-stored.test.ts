import { describe, expect, it } from 'vitest';
import { toMessages } from '../../src/chat/messages.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { proveStored, type StoredRow } from '../../src/tokens/prove-stored.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { goldenConversations } from '../chat/golden.js';
import {
  assistant,
  call,
  encoder,
  renderer,
  system,
  text,
  thought,
  tool,
  trajectoryOf,
  user,
} from './rows.js';

const HELD = {
  lengths: true,
  trained_text: true,
  stop_tokens: true,
  no_injected_specials: true,
  ids_equal_rendering: true,
};

function storedRows(trajectory: Trajectory, options: unknown, strategy: 'split' | 'preserve'): StoredRow[] {
  const rows = createRowEncoder({ encoder, renderer, mask: maskSchema.parse(options) });
  return planRows({ trajectory, lastTurn: trajectory.turns.length - 1, strategy, renderer }).map((plan) => {
    const row = rows.encode({ trajectory, plan });
    return {
      input_ids: row.input_ids.slice(),
      loss_mask: Int8Array.from(row.loss_mask),
      straddled_tokens: row.straddled_tokens,
      ids_differ_because: row.ids_differ_because,
      messages: JSON.stringify(toMessages(trajectory, plan.indices, row.trained_turns)),
      tools: trajectory.tools,
      model: trajectory.model,
    };
  });
}

const trajectory = trajectoryOf([
  system('s'),
  user('<|im_end|>'),
  assistant([thought('r'), text('a'), call({ x: 1 })]),
  tool('t'),
  assistant([{ ...text('pre'), origin: 'environment' }, text('\u0301post')]),
  user('again'),
  assistant([text('half')], { truncated: 'length' }),
  user('so?'),
  assistant([text('\n\nb')]),
]);

describe('stored rows', () => {
  it.each(goldenConversations())('are proved from their columns alone: $name', ({ turns, tools }) => {
    const golden = trajectoryOf([...turns], { tools });
    const mask = maskSchema.parse({});
    for (const strategy of ['split', 'preserve'] as const) {
      for (const row of storedRows(golden, mask, strategy)) {
        expect(proveStored(row, { encoder, renderer, mask })).toEqual({ proofs: HELD, ids_reproduced: true });
      }
    }
  });

  it.each(['sampled', 'trl', 'rllm'])('are proved with odd spans and cut turns (%s)', (policy) => {
    const mask = maskSchema.parse({ policy, truncated: 'train_without_stop', boundary: 'sampled' });
    for (const row of storedRows(trajectory, mask, 'split')) {
      expect(proveStored(row, { encoder, renderer, mask })).toEqual({ proofs: HELD, ids_reproduced: true });
    }
  });
});

describe('damaged rows', () => {
  const mask = maskSchema.parse({});
  const prove = (row: StoredRow) => proveStored(row, { encoder, renderer, mask });
  const good = (): StoredRow => {
    const [, row] = storedRows(trajectory, mask, 'split');
    if (row === undefined) throw new Error('no row');
    return row;
  };

  it('a mask bit', () => {
    const row = good();
    for (let i = 0; i < row.loss_mask.length; i++) {
      const loss_mask = row.loss_mask.slice();
      loss_mask[i] = 1 - (loss_mask[i] ?? 0);
      expect(Object.values(prove({ ...row, loss_mask }).proofs)).toContain(false);
    }
  });

  it('an id', () => {
    const row = good();
    for (let i = 0; i < row.input_ids.length; i++) {
      const input_ids = row.input_ids.slice();
      input_ids[i] = (input_ids[i] ?? 0) + 1;
      const { proofs, ids_reproduced } = prove({ ...row, input_ids });
      expect(ids_reproduced).toBe(false);
      expect(Object.values(proofs)).toContain(false);
    }
  });

  it('a word of the messages, a trained flag, the tools, another policy', () => {
    const row = good();
    const spoil = (change: Partial<StoredRow>) => Object.values(prove({ ...row, ...change }).proofs);
    expect(spoil({ messages: row.messages.replace('again', 'agaim') })).toContain(false);
    expect(spoil({ messages: row.messages.replace('"trained":false', '"trained":true') })).toContain(false);
    expect(spoil({ tools: '[{"name":"x"}]' })).toContain(false);
    const other = maskSchema.parse({ policy: 'trl' });
    expect(Object.values(proveStored(row, { encoder, renderer, mask: other }).proofs)).toContain(false);
  });
});
