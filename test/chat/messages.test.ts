import { describe, expect, it } from 'vitest';
import { fromMessages, toMessages } from '../../src/chat/messages.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../../src/trajectory/build.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { goldenConversations } from './golden.js';

const all = (turns: readonly Turn[]) => turns.map((_, i) => i);

function throughJson(turns: readonly Turn[], trained: number[] = []) {
  return fromMessages(JSON.stringify(toMessages({ turns }, all(turns), trained)));
}

describe('stored messages', () => {
  it('are OpenAI messages, with no list of spans where they are the usual ones', () => {
    const turns = [
      makeTurn('user', [contentSpan('prompt', 'environment', 'go')]),
      makeTurn('assistant', [
        reasoningSpan('r'),
        contentSpan('text', 'model', 'a'),
        structuredCallSpan({ id: 'c1', name: 'run', arguments: { b: 1, a: 'é' } }),
      ]),
      makeTurn('tool', [contentSpan('observation', 'environment', 'x')], { tool_call_id: 'c1', name: 'run' }),
    ];
    expect(toMessages({ turns }, all(turns), [1])).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'a',
        reasoning_content: 'r',
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'run', arguments: '{"b": 1, "a": "é"}' },
            arguments_were_object: true,
          },
        ],
        trained: true,
      },
      { role: 'tool', content: 'x', name: 'run', tool_call_id: 'c1' },
    ]);
  });

  it('keep spans that are not the usual ones', () => {
    const turn = makeTurn(
      'assistant',
      [
        contentSpan('text', 'environment', 'pre'),
        reasoningSpan('one'),
        { ...contentSpan('text', 'model', 'é🙂'), model: 'other' },
        reasoningSpan('two'),
        contentSpan('malformed_call', 'model', '{'),
        structuredCallSpan({ id: null, name: 'n', arguments: '{' }),
      ],
      { truncated: 'cut' },
    );
    const { turns, trained } = throughJson([turn]);
    expect(turns).toEqual([turn]);
    expect([...trained]).toEqual([]);
  });

  it('give back the spans of every golden conversation', () => {
    for (const { turns } of goldenConversations()) {
      const { turns: again } = throughJson(turns);
      const spans = (list: readonly Turn[]) =>
        list.map((turn) => turn.spans.filter((span) => span.text !== '' || span.call !== null));
      const expected = spans(turns).map((list) =>
        list.map((span) => ({
          ...span,
          text: span.call === null ? span.text : expect.any(String),
          call: span.call && expect.anything(),
        })),
      );
      expect(spans(again)).toEqual(expected);
    }
  });

  it('keep lone surrogates', () => {
    const turn = makeTurn('user', [contentSpan('prompt', 'environment', 'a\ud800')]);
    expect(throughJson([turn]).turns).toEqual([turn]);
  });

  it.each(['', '{}', '[{"role":"x","content":""}]', '[{"role":"user","content":"a","extra":1}]'])(
    'are refused when damaged: %s',
    (json) => {
      expect(() => fromMessages(json)).toThrow(expect.objectContaining({ code: 'bad_shape' }));
    },
  );
});
