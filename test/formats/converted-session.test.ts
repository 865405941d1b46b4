import { describe, expect, it } from 'vitest';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';
import { outline } from './session-logs.js';

let clock = 10;
const stamped = (message: object) => ({
  ...message,
  _metadata: { timestamp: `2026-04-02T21:33:${clock++}.000Z` },
});
const say = (role: string, text: string) => stamped({ role, content: [{ type: 'text', text }] });
const call = (id: string, command: string, ...before: object[]) => {
  const args = JSON.stringify({ command });
  return stamped({
    role: 'assistant',
    content: [...before, { type: 'tool_call', tool_call_id: id, name: 'Bash', arguments: args }],
    tool_calls: [{ id, type: 'function', function: { name: 'Bash', arguments: args } }],
  });
};
const output = (id: string, text: unknown) =>
  stamped({ role: 'tool', tool_call_id: id, content: [{ type: 'tool_output', text }] });
const thought = { type: 'reasoning', text: 'hm' };
const meta = { session_meta: { session_id: 's1', version: '2.1.0', git_branch: 'main', cwd: '/w' } };
const files = (messages: readonly object[], rest: object = { meta }) => ({
  'trajectory.json': { messages, ...rest },
});
const converted = async (messages: readonly object[], rest?: object) =>
  onlyTrajectory(await readFiles(files(messages, rest)));

describe('a converted session', () => {
  it('of Claude Code has each call once, and one reply where nothing stands between its parts', async () => {
    const run = await converted([
      say('user', 'build it'),
      stamped({ role: 'assistant', content: [thought] }),
      say('assistant', 'I look.'),
      call('toolu_1', 'ls'),
      call('toolu_2', 'pwd'),
      output('toolu_1', 'a.py'),
      output('toolu_2', [{ type: 'text', text: '/w' }]),
      say('assistant', 'Done.'),
    ]);
    expect(run.source.format).toBe('converted-session');
    expect(outline(run.turns)).toEqual([
      'user: prompt build it',
      'assistant: REASONING hm | TEXT I look. | TOOL_CALL {"command":"ls"} | TOOL_CALL {"command":"pwd"}',
      'tool: observation a.py',
      'tool: observation /w',
      'assistant: TEXT Done.',
    ]);
    expect(run).toMatchObject({
      session_id: 's1',
      scaffold: 'claude-code',
      scaffold_version: '2.1.0',
      termination: 'submitted',
    });
  });

  it('keeps what the harness wrote as a reply apart, and begins anew at a summary', async () => {
    const run = await converted([
      say('user', 'build it'),
      say('assistant', 'Please run /login · API Error: 403 {"error":{}}'),
      say('user', 'build it'),
      say('assistant', 'I begin.'),
      say('assistant', 'API Error: 500 overloaded'),
      call('toolu_1', 'ls'),
      output('toolu_1', 'a.py'),
      say(
        'user',
        'This session is being continued from a previous conversation that ran out of context. So far',
      ),
      say('assistant', 'Done.'),
    ]);
    expect(outline(run.turns).map((line) => line.slice(0, 40))).toEqual([
      'user: prompt build it',
      'assistant: text Please run /login · API ',
      'user: prompt build it',
      'assistant: TEXT I begin.',
      'assistant: text API Error: 500 overloade',
      'assistant: TOOL_CALL {"command":"ls"}',
      'tool: observation a.py',
      'user: observation This session is being ',
      'assistant: TEXT Done.',
    ]);
    expect(run.turns[1]?.flags).toEqual(['harness_reply']);
    expect(run.flags).toContain('compacted_context_assumed');
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2, 3, 4, 5, 6], reason: null },
      { turns: [7, 8], reason: 'compaction' },
    ]);
  });

  it('parts its subagents from it', async () => {
    const helper = (message: { role: string }) => ({
      ...message,
      role: 'assistant-subagent-ab',
      _metadata: { source: 'subagent', original_role: message.role },
    });
    const runs = trajectoriesOf(
      await readFiles(
        files([
          say('user', 'build it'),
          call('toolu_1', 'ask the helper'),
          helper(say('user', 'help') as unknown as { role: string }),
          helper(call('toolu_9', 'ls') as unknown as { role: string }),
          helper(output('toolu_9', 'x') as unknown as { role: string }),
          helper(say('assistant', 'helped') as unknown as { role: string }),
          output('toolu_1', 'helped'),
          say('assistant', 'Done.'),
        ]),
      ),
    );
    expect(runs.map((run) => outline(run.turns))).toEqual([
      [
        'user: prompt build it',
        'assistant: TOOL_CALL {"command":"ask the helper"}',
        'tool: observation helped',
        'assistant: TEXT Done.',
      ],
      [
        'user: prompt help',
        'assistant: TOOL_CALL {"command":"ls"}',
        'tool: observation x',
        'assistant: TEXT helped',
      ],
    ]);
    expect(runs.map(({ session_id, parent_session }) => [session_id, parent_session])).toEqual([
      ['s1', null],
      ['ab', 's1'],
    ]);
  });

  it('of Codex trains no summary of reasoning, and reads its context as the user text that it is', async () => {
    const run = await converted(
      [
        say('developer', '<permissions instructions>'),
        say('system', '<environment_context>\n<cwd>/w</cwd>\n</environment_context>'),
        say('user', 'go'),
        call('call_1', 'ls', thought),
        output('call_1', 'Exit code: 0\nOutput:\na.py'),
        say('assistant', 'Done.'),
      ],
      { meta: { session_meta: { id: 's2', cli_version: '0.116.0' } } },
    );
    expect(outline(run.turns).map((line) => line.slice(0, 40))).toEqual([
      'system: prompt <permissions instructions',
      'user: observation <environment_context>\n',
      'user: prompt go',
      'assistant: reasoning hm | TOOL_CALL {"co',
      'tool: observation Exit code: 0\nOutput:\na',
      'assistant: TEXT Done.',
    ]);
    expect(run).toMatchObject({ session_id: 's2', scaffold: 'codex-cli', scaffold_version: '0.116.0' });
  });

  it('with a part that is not known is refused', async () => {
    const rejected = onlyReject(
      await readFiles(
        files([
          say('user', 'go'),
          call('toolu_1', 'ls'),
          output('toolu_1', 'x'),
          stamped({ role: 'assistant', content: [{ type: 'video' }] }),
        ]),
      ),
    );
    expect(rejected).toMatchObject({ code: 'bad_shape', format: 'converted-session' });
  });
});
