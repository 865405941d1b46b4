import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplyAnswers } from '../../src/formats/reply-answers.js';
import { SessionRun } from '../../src/formats/session-run.js';
import { callSpan } from '../../src/formats/structured-calls.js';
import { contentSpan, makeTurn } from '../../src/trajectory/build.js';
import type { Turn } from '../../src/trajectory/turn.js';

const ids = fc.constantFrom(null, 'a', 'b', 'c');
const reply = fc.array(fc.option(ids, { nil: 'text' as const }), { maxLength: 4 }).map((calls) =>
  makeTurn(
    'assistant',
    calls.map((id) =>
      id === 'text' ? contentSpan('text', 'model', 'x') : callSpan({ id, name: 'sh', arguments: {} }),
    ),
  ),
);
const result = ids.map((id) =>
  makeTurn('tool', [contentSpan('observation', 'environment', 'x')], { tool_call_id: id }),
);
const prompt = fc.constant(makeTurn('user', [contentSpan('prompt', 'environment', 'x')]));
const turnList = fc.array(fc.oneof(reply, result, prompt), { maxLength: 12 });

/** Each call by itself, as the rule is told. */
function slowly(turns: readonly Turn[], at: { turn: number; span: number }, shared: boolean): number | null {
  const end = turns.findIndex(({ role }, index) => index > at.turn && role === 'assistant');
  const answers = turns
    .map((_, index) => index)
    .slice(at.turn + 1, end < 0 ? turns.length : end)
    .filter((index) => turns[index]?.role === 'tool');
  const spans = turns[at.turn]?.spans ?? [];
  const id = spans[at.span]?.call?.id ?? null;
  if (id !== null) {
    const named = answers.find((index) => turns[index]?.tool_call_id === id);
    if (named !== undefined) return named;
    if (answers.some((index) => turns[index]?.tool_call_id !== null)) return null;
  }
  const before = spans.slice(0, at.span).filter(({ call }) => call !== null).length;
  return answers[before] ?? (shared ? (answers.at(-1) ?? null) : null);
}

describe('answers to the calls of a reply', () => {
  it('are those that the rule gives each call by itself', () => {
    fc.assert(
      fc.property(turnList, fc.boolean(), (turns, shared) => {
        const answers = new ReplyAnswers(turns, { shared });
        turns.forEach(({ spans }, turn) => {
          spans.forEach(({ call }, span) => {
            if (call === null) return;
            const found = answers.turnOf({ call_turn: turn, call_span: span, id: call.id });
            expect(found).toBe(slowly(turns, { turn, span }, shared));
          });
        });
      }),
    );
  });

  it('are looked for once, however many calls a reply makes', () => {
    const calls = Array.from({ length: 500 }, (_, index) =>
      callSpan({ id: `c${index}`, name: 'sh', arguments: {} }),
    );
    const results = calls.map(({ call }) =>
      makeTurn('tool', [contentSpan('observation', 'environment', 'x')], { tool_call_id: call?.id ?? null }),
    );
    let looks = 0;
    const turns = new Proxy([makeTurn('assistant', calls), ...results], {
      get: (list, key) => {
        if (/^\d+$/.test(String(key))) looks++;
        return Reflect.get(list, key);
      },
    });
    const answers = new ReplyAnswers(turns);
    calls.forEach(({ call }, span) => {
      expect(answers.turnOf({ call_turn: 0, call_span: span, id: call?.id ?? null })).toBe(span + 1);
    });
    expect(looks).toBeLessThan(3 * turns.length);
  });
});

describe('a reply that is written piece by piece', () => {
  const text = (words: string) => contentSpan('text', 'model', words);

  it('grows where it stands, and leaves alone the spans that it was given', () => {
    const run = new SessionRun();
    const given = [text('a')];
    run.push(makeTurn('assistant', given));
    run.extendReply(text('b'));
    const grown = run.turns[0]?.spans;
    run.extendReply(text('c'));
    run.continueReply(text('d'));
    expect(given).toEqual([text('a')]);
    expect(run.turns[0]?.spans).toBe(grown);
    expect(grown?.map((span) => span.text)).toEqual(['a', 'b', 'cd']);
  });

  it('goes on with a piece of the same kind only within a reply', () => {
    const run = new SessionRun();
    run.push(makeTurn('user', [text('a')]));
    run.continueReply(text('b'));
    run.continueReply(contentSpan('reasoning', 'model', 'c'));
    run.continueReply(contentSpan('reasoning', 'model', 'd'));
    expect(run.turns.map(({ role, spans }) => [role, ...spans.map((span) => span.text)])).toEqual([
      ['user', 'a'],
      ['assistant', 'b', 'cd'],
    ]);
  });
});
