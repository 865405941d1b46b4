import { describe, expect, it } from 'vitest';
import { onlyTrajectory, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

const say = (role: string, ...parts: object[]) => ({ role, parts });
const text = (words: string) => ({ text: words });
const declared = { name: 'read', description: 'reads', parameters: { type: 'OBJECT' } };
const row = (id: string) => ({
  id,
  systemInstruction: { role: 'system', parts: [text('Be brief.')] },
  tools: [{ functionDeclarations: [declared] }, { googleSearch: {} }],
  contents: [
    say('user', text('what is in a.py?')),
    say(
      'model',
      { text: '**Reading** it', thought: true },
      { functionCall: { name: 'read', args: { path: 'a.py' } } },
    ),
    say('user', { functionResponse: { name: 'read', response: { output: 'x = 1' } } }),
    say('model', text('x = 1')),
  ],
});

describe('rows with contents of the Gemini API', () => {
  it('have their system instruction, calls and tools; thoughts are summaries', async () => {
    const run = onlyTrajectory(await readFiles({ 'request.json': row('r1') }));
    expect(run.source.format).toBe('gemini-contents');
    expect(outline(run.turns)).toEqual([
      'system: prompt Be brief.',
      'user: prompt what is in a.py?',
      'assistant: reasoning **Reading** it | TOOL_CALL {"path":"a.py"}',
      'tool: observation x = 1',
      'assistant: TEXT x = 1',
    ]);
    expect(run).toMatchObject({ session_id: 'r1', scaffold: null, termination: 'submitted' });
    expect(JSON.parse(run.tools ?? '')).toEqual([{ type: 'function', function: declared }]);
    expect(run.flags).toContain('reasoning_summary');
  });

  it('are a run a line, each refused alone', async () => {
    const strange = { ...row('r2'), contents: [say('user', text('go')), say('model', { video: {} })] };
    const lines = [row('r1'), strange, row('r3'), { contents: [say('system', text('x'))] }]
      .map((one) => `${JSON.stringify(one)}\n`)
      .join('');
    const result = await readFiles({ 'rows.jsonl': lines });
    expect(trajectoriesOf(result).map(({ session_id }) => session_id)).toEqual(['r1', 'r3']);
    expect(rejectsOf(result)).toMatchObject([
      { code: 'bad_shape', line: 2, format: 'gemini-contents' },
      { code: 'bad_shape', line: 4, format: 'gemini-contents' },
    ]);
  });
});
