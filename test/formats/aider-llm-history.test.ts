import { describe, expect, it } from 'vitest';
import { readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

/** A text as aider prints it: its role before every line. */
const said = (role: string, text: string) => text.split('\n').map((line) => `${role} ${line}`);
const sent = (...messages: [string, string][]) => [
  'TO LLM 2025-01-01T00:00:00',
  ...messages.flatMap(([role, text]) => ['-------', ...said(role, text)]),
];
const got = (text: string) => ['LLM RESPONSE 2025-01-01T00:00:09', ...said('ASSISTANT', text)];
const read = async (...lines: string[][]) =>
  trajectoriesOf(await readFiles({ '.aider.llm.history': `${lines.flat().join('\n')}\n` }));

const EDIT = 'Here:\n\n<<<<<<< SEARCH\n-------\nUSER x\n=======\n>>>>>>> REPLACE';

describe('what aider sent to its model', () => {
  it('is a run whose replies are the model’s to the last byte, rules and roles in them included', async () => {
    const [run, ...others] = await read(
      sent(['SYSTEM', 'S\n\n-------'], ['USER', 'go']),
      got(EDIT),
      sent(['SYSTEM', 'S\n\n-------'], ['USER', 'go'], ['ASSISTANT', EDIT], ['USER', 'more']),
      got('done'),
    );
    expect(others).toEqual([]);
    expect(run?.source.format).toBe('aider-llm-history');
    expect(outline(run?.turns ?? [])).toEqual([
      'system: prompt S\n\n-------',
      'user: prompt go',
      `assistant: TEXT Here:\n\n | TOOL_CALL ${EDIT.slice(7)}`,
      'user: prompt more',
      'assistant: TEXT done',
    ]);
    expect(run).toMatchObject({ scaffold: 'aider', termination: 'submitted' });
  });

  it('is another run where the context was changed, and its history is nobody’s reply', async () => {
    const runs = await read(
      sent(['SYSTEM', 'a'], ['USER', 'go']),
      got('one'),
      sent(['SYSTEM', 'b'], ['USER', 'go'], ['ASSISTANT', 'one'], ['USER', 'more']),
      got('two'),
    );
    expect(runs.map(({ turns }) => outline(turns).filter((turn) => turn.startsWith('assistant')))).toEqual([
      ['assistant: TEXT one'],
      ['assistant: text one', 'assistant: TEXT two'],
    ]);
    expect(runs[1]?.turns[2]?.flags).toEqual(['copied_context']);
  });

  it('leaves out a call that nothing answered', async () => {
    const runs = await read(sent(['USER', 'a']), sent(['USER', 'go']), got('one'), sent(['USER', 'b']));
    expect(runs.map(({ turns }) => outline(turns))).toEqual([['user: prompt go', 'assistant: TEXT one']]);
  });
});
