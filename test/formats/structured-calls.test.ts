import { describe, expect, it } from 'vitest';
import { callSpan, toolCallSpans } from '../../src/formats/structured-calls.js';

describe('a structured call', () => {
  it.each([
    { given: '{"a": 1}', kind: 'tool_call', text: '{"a": 1}' },
    { given: { a: 1 }, kind: 'tool_call', text: '{"a":1}' },
    // a call without the field was made without arguments
    { given: undefined, kind: 'tool_call', text: '{}' },
    { given: null, kind: 'tool_call', text: '{}' },
    // a template would print these where its JSON needs a value
    { given: '', kind: 'malformed_call', text: '' },
    { given: ' \n', kind: 'malformed_call', text: ' \n' },
    { given: '{"a": ', kind: 'malformed_call', text: '{"a": ' },
  ])('with the arguments $given is a $kind, verbatim', ({ given, kind, text }) => {
    const span = callSpan({ id: null, name: 'f', arguments: given });
    expect([span.kind, span.text, span.call?.arguments]).toEqual([kind, text, text]);
  });

  it.each([
    [{ id: 'c', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin Patch' } }],
    [{ id: 'c', type: 'custom', name: 'apply_patch', arguments: '*** Begin Patch' }],
  ])('of a custom tool holds free text, nested or flat: %j', (call) => {
    expect(toolCallSpans([call], 'calls')).toMatchObject([
      {
        kind: 'tool_call',
        text: '*** Begin Patch',
        call: { id: 'c', name: 'apply_patch', arguments: '*** Begin Patch' },
      },
    ]);
  });

  it('of a custom tool without its text is refused by its place', () => {
    expect(() => toolCallSpans([{ type: 'custom', custom: { name: 'apply_patch' } }], 'calls')).toThrow(
      /calls\[0\]\.custom\.arguments/,
    );
  });
});
