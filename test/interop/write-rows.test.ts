import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { loadRenderer } from '../../src/chat/load-renderer.js';
import { toMessages } from '../../src/chat/messages.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { loadEncoder } from '../../src/tokens/load-encoder.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { planRows } from '../../src/tokens/stretches.js';
import { goldenConversations } from '../chat/golden.js';
import { trajectoryOf } from '../tokens/rows.js';

// Input of check_rows.py: TRAJMILL_INTEROP_OUT names the file, TRAJMILL_INTEROP_TEMPLATE the template (qwen3),
// TRAJMILL_INTEROP_POLICY the mask policy (trl), TRAJMILL_INTEROP_TOKENIZER the tokenizer (qwen3).
const {
  TRAJMILL_INTEROP_OUT: out,
  TRAJMILL_INTEROP_TEMPLATE: template = 'qwen3',
  TRAJMILL_INTEROP_POLICY: policy = 'trl',
  TRAJMILL_INTEROP_TOKENIZER: tokenizer = 'qwen3',
} = process.env;

it.skipIf(out === undefined)('writes the rows of the golden conversations', () => {
  const encoder = loadEncoder({ tokenizer });
  const renderer = loadRenderer({ template });
  const rows = createRowEncoder({
    encoder,
    renderer,
    mask: maskSchema.parse({ policy, stripped_reasoning: 'train' }),
  });
  const lines = goldenConversations().flatMap(({ name, turns, tools }) => {
    const trajectory = trajectoryOf([...turns], { tools });
    const lastTurn = turns.length - 1;
    return planRows({ trajectory, lastTurn, strategy: 'split', renderer }).map((plan) => {
      const row = rows.encode({ trajectory, plan });
      return JSON.stringify({
        name: `${name}/${plan.stretch}`,
        input_ids: [...row.input_ids],
        loss_mask: [...row.loss_mask],
        trained_turns: row.trained_turns.length,
        n_assistants: plan.indices.filter((index) => turns[index]?.role === 'assistant').length,
        ids_differ_because: row.ids_differ_because,
        messages: toMessages(trajectory, plan.indices, row.trained_turns),
        tools,
      });
    });
  });
  writeFileSync(out ?? '', `${lines.join('\n')}\n`);
});
