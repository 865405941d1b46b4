import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { duckRows, plain } from '../tables/duck.js';
import { exported, SFT_ROWS, wholeCorpus, writeSplits } from './corpus.js';

let corpus = '';
beforeAll(async () => {
  corpus = await wholeCorpus();
});

const ARGUMENTS = '{"x": 1.0, "big": 12345678901234567890}';

describe('messages in columns', () => {
  it.each(['trl-messages', 'verl', 'prime-rl'])(
    '%s: arguments and tools are strings of JSON',
    async (name) => {
      const { path } = await exported(corpus, name);
      const rows = await duckRows(`SELECT * FROM '${path('train', 'part-00000.parquet')}'`);
      expect(rows).toHaveLength(3);
      const { messages, tools } = plain(rows[0]) as { messages: Record<string, unknown>[]; tools: string };
      expect(messages.map(({ role, content }) => [role, content])).toEqual([
        ['system', 'Be brief.'],
        ['user', 'Train it. \u{1f600}'],
        ['assistant', 'First.'],
        ['tool', 'score 0.5'],
        ['assistant', 'Done.'],
      ]);
      expect(messages[2]).toMatchObject({
        reasoning_content: 'Think.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'run', arguments: ARGUMENTS } }],
      });
      expect(messages[3]).toMatchObject({ name: 'run', tool_call_id: 'c1', tool_calls: null });
      expect(tools).toBe(SFT_ROWS[0]?.tools);
      expect((plain(rows[1]) as { tools: unknown }).tools).toBeNull();
    },
  );
});

describe('messages in lines', () => {
  it('slime: untrained turns have a step mask of 0, objects keep their numbers', async () => {
    const { lines, path } = await exported(corpus, 'slime');
    const [row] = lines('train', 'data.jsonl');
    const prompt = row?.['prompt'] as Record<string, unknown>[];
    expect(prompt.map((message) => message['step_loss_mask'])).toEqual([
      undefined,
      undefined,
      0,
      undefined,
      1,
    ]);
    const text = readFileSync(path('train', 'data.jsonl'), 'utf8');
    expect(text).toContain(`"arguments":${ARGUMENTS}`);
    expect(text).toContain(`"tools":${SFT_ROWS[0]?.tools}`);
  });

  it('slime: arguments that the log held as a string stay one, and a turn not said to be trained is not', async () => {
    const fn = { name: 'run', arguments: '{"x": 1}' };
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', tool_calls: [{ type: 'function', function: fn }] },
    ];
    const dir = await writeSplits({
      train: { sft: SFT_ROWS.slice(0, 1).map((row) => ({ ...row, messages: JSON.stringify(messages) })) },
    });
    const [row] = (await exported(dir, 'slime')).lines('train', 'data.jsonl');
    expect(row?.['prompt']).toMatchObject([{}, { tool_calls: [{ function: fn }], step_loss_mask: 0 }]);
  });

  it('tinker: every message says whether it is trained', async () => {
    const { lines, splits } = await exported(corpus, 'tinker');
    const [row] = lines('train', 'data.jsonl');
    const messages = row?.['messages'] as Record<string, unknown>[];
    expect(messages.map((message) => message['trainable'])).toEqual([false, false, false, false, true]);
    expect(messages[2]?.['content']).toBe(
      `<think>\nThink.\n</think>\n\nFirst.\n<tool_call>\n{"name": "run", "arguments": ${ARGUMENTS}}\n</tool_call>`,
    );
    expect(messages.filter((message) => 'tool_calls' in message)).toEqual([]);
    expect(splits[0]?.counts['rows_that_lost_their_tools']).toBe(1);
  });

  it('ms-swift: calls are messages of their own, each with the loss of its turn', async () => {
    const { lines } = await exported(corpus, 'ms-swift');
    const [row] = lines('train', 'data.jsonl');
    expect(row?.['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Train it. \u{1f600}' },
      { role: 'assistant', content: '<think>\nThink.\n</think>\n\nFirst.\n', loss: false },
      { role: 'tool_call', content: `{"name": "run", "arguments": ${ARGUMENTS}}`, loss: false },
      { role: 'tool_response', content: 'score 0.5' },
      { role: 'assistant', content: 'Done.', loss: true },
    ]);
    expect(row?.['tools']).toBe(SFT_ROWS[0]?.tools);
  });

  it('nemo-rl: OpenAI’s fields, and tools as a list', async () => {
    const { lines } = await exported(corpus, 'nemo-rl');
    const [row] = lines('train', 'data.jsonl');
    const messages = row?.['messages'] as Record<string, unknown>[];
    expect(messages[4]).toEqual({ role: 'assistant', content: 'Done.' });
    expect(row?.['tools']).toMatchObject([{ type: 'function' }]);
    expect(row?.['message_loss_mask']).toEqual([0, 0, 0, 0, 1]);
  });

  it('nemo-rl: what comes after the last answer is cut and counted', async () => {
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'Done.', trained: true },
      { role: 'tool', content: 'score 0.5' },
    ];
    const dir = await writeSplits({
      train: { sft: SFT_ROWS.slice(0, 1).map((row) => ({ ...row, messages: JSON.stringify(messages) })) },
    });
    const { lines, splits } = await exported(dir, 'nemo-rl');
    const [row] = lines('train', 'data.jsonl');
    expect(row?.['messages']).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
    expect(row?.['message_loss_mask']).toEqual([0, 1]);
    expect(splits[0]?.counts['messages_cut_after_the_last_answer']).toBe(1);
  });
});

describe('llama-factory-sharegpt', () => {
  const conversation = (messages: object[]) =>
    writeSplits({
      train: { sft: SFT_ROWS.slice(0, 1).map((row) => ({ ...row, messages: JSON.stringify(messages) })) },
    });
  const call = { type: 'function', function: { name: 'run', arguments: '{"x": 1}' } };
  const user = { role: 'user', content: 'go' };
  const tool = { role: 'tool', content: 'ok' };

  it('names calls alone, and calls after words, apart', async () => {
    const dir = await conversation([
      user,
      { role: 'assistant', content: '', reasoning_content: 'Hm.', tool_calls: [call], trained: true },
      tool,
      { role: 'assistant', content: 'Now.', tool_calls: [call], trained: true },
      tool,
    ]);
    const { lines, path, splits } = await exported(dir, 'llama-factory-sharegpt');
    expect(lines('train', 'data.jsonl')[0]?.['conversations']).toEqual([
      { from: 'human', value: 'go' },
      { from: 'function_call', value: '<think>\nHm.\n</think>\n\n{"name": "run", "arguments": {"x": 1}}' },
      { from: 'observation', value: 'ok' },
      { from: 'gpt', value: 'Now.\n<tool_call>\n{"name": "run", "arguments": {"x": 1}}\n</tool_call>' },
    ]);
    expect(splits[0]?.counts['messages_cut_after_the_last_answer']).toBe(1);
    const info = JSON.parse(readFileSync(path('dataset_info.json'), 'utf8')) as Record<string, object>;
    expect(info['trajmill_train']).toMatchObject({ file_name: 'train/data.jsonl', formatting: 'sharegpt' });
  });

  it('leaves out and counts what does not alternate', async () => {
    const dir = await conversation([
      user,
      { role: 'assistant', content: '', tool_calls: [call, call], trained: false },
      tool,
      tool,
      { role: 'assistant', content: 'Done.', trained: true },
    ]);
    const { path, splits } = await exported(dir, 'llama-factory-sharegpt');
    expect(readFileSync(path('train', 'data.jsonl'), 'utf8')).toBe('');
    // the trainer never sees the row, so it trains nothing of it against the mask
    expect(splits[0]?.counts).toMatchObject({
      rows_left_out_not_alternating: 1,
      turns_trained_by_our_mask: 1,
      turns_untrained_by_our_mask: 1,
      turns_trained_against_our_mask: 0,
      rows_with_such_turns: 0,
    });
    expect(splits[0]?.differences).toHaveLength(1);
  });
});

describe('what a text trainer trains otherwise', () => {
  it('is counted by turns and told by policy', async () => {
    const { splits } = await exported(corpus, 'verl', { split: 'train' });
    expect(splits[0]?.counts).toEqual({
      turns_trained_by_our_mask: 3,
      turns_untrained_by_our_mask: 3,
      turns_trained_against_our_mask: 3,
      rows_with_such_turns: 3,
      truncated_turns_trained_with_a_stop_token: 0,
      turns_trained_with_text_the_model_did_not_write: 0,
      rows_whose_ids_the_trainer_renders_otherwise: 1,
    });
    expect(splits[0]?.differences).toEqual([
      'In 2 turns of policy sampled it also trains: newline after the stop token, empty think block of the template.',
      'In 1 turns of policy nemo-rl it does not train: header.',
      'Counted in turns, not in tokens: the tokenizer and template of the corpus are not at hand.',
    ]);
  });

  it('is nothing where single turns can be left out', async () => {
    const { splits } = await exported(corpus, 'slime', { split: 'train' });
    expect(splits[0]?.counts).toMatchObject({
      turns_untrained_by_our_mask: 3,
      turns_trained_against_our_mask: 0,
    });
  });
});
