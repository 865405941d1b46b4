import { expect, it } from 'vitest';
import { antigravity } from '../../src/formats/antigravity.js';
import { callsOf, detectLines, outline, placed, runOf } from './session-logs.js';

const step = (step_index: number, source: string, type: string, rest: object = {}) => ({
  step_index,
  source,
  type,
  status: 'DONE',
  created_at: 't',
  ...rest,
});
const input = (index: number, content: string) => step(index, 'USER_EXPLICIT', 'USER_INPUT', { content });
const reply = (index: number, rest: object) => step(index, 'MODEL', 'PLANNER_RESPONSE', rest);

it('antigravity: takes steps of source MODEL that are no reply for what the tools gave back', () => {
  const lines = [
    input(0, '<USER_REQUEST>\ngo\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nx\n</ADDITIONAL_METADATA>'),
    reply(1, {
      thinking: 'hm',
      tool_calls: [
        {
          name: 'run_command',
          args: { CommandLine: '"python t.py"', Wait: '500', Plain: 'a b', Flag: true },
        },
        { name: 'view_file', args: {} },
      ],
    }),
    step(2, 'MODEL', 'RUN_COMMAND', { status: 'RUNNING', content: 'part' }),
    step(3, 'MODEL', 'VIEW_FILE', { content: 'file' }),
    step(2, 'MODEL', 'RUN_COMMAND', { status: 'ERROR', content: 'whole' }),
    step(4, 'SYSTEM', 'SYSTEM_MESSAGE', { content: 'note' }),
    reply(5, { content: 'done' }),
  ];
  expect(detectLines(antigravity, lines)?.confidence).toBe('certain');
  const run = runOf(antigravity, lines, placed('brain/id-1/.system_generated/logs/transcript.jsonl'));
  expect(outline(run.turns)).toEqual([
    'user: prompt <USER_REQUEST>\ngo\n</USER_REQUEST> | observation \n<ADDITIONAL_METADATA>\nx\n</ADDITIONAL_METADATA>',
    'assistant: reasoning hm | TOOL_CALL {"CommandLine":"python t.py","Wait":500,"Plain":"a b","Flag":true} | TOOL_CALL {}',
    'tool: observation whole',
    'tool: observation file',
    'user: observation note',
    'assistant: TEXT done',
  ]);
  expect(callsOf(run.turns)).toHaveLength(2);
  expect(run.executions).toMatchObject([{ tool: 'run_command', status: 'error', feedback_turn: 2 }]);
  expect(run).toMatchObject({ session_id: 'id-1', termination: 'submitted' });
});

it('antigravity: takes thoughts of Gemini, its default, for summaries, those of another model for its own', () => {
  const choice = (to: string) =>
    `<USER_REQUEST>\ngo\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\nThe user changed setting \`Model Selection\` from None to ${to}.\n</USER_SETTINGS_CHANGE>`;
  const run = runOf(antigravity, [
    input(0, 'go'),
    reply(1, { thinking: 'a', content: 'x' }),
    input(2, choice('GPT-OSS 120B (Medium)')),
    reply(3, { thinking: 'b', content: 'x' }),
    input(4, choice('Gemini 3 Pro (High)')),
    reply(5, { thinking: 'c', content: 'x' }),
  ]);
  expect(outline(run.turns).filter((turn) => turn.startsWith('assistant'))).toEqual([
    'assistant: reasoning a | TEXT x',
    'assistant: REASONING b | TEXT x',
    'assistant: reasoning c | TEXT x',
  ]);
  expect(run.flags).toContain('reasoning_summary');
});

it('antigravity: counts a reply that the transcript cut as cut', () => {
  const run = runOf(antigravity, [
    input(0, 'go'),
    reply(1, { content: 'half', truncated_fields: ['content'] }),
  ]);
  expect(run.turns[1]).toMatchObject({ truncated: 'cut', flags: ['truncated_in_log'] });
  expect(run.termination).toBe('cut');
});

it('antigravity: begins a context at a checkpoint', () => {
  const lines = [
    input(0, 'go'),
    reply(1, { content: 'a' }),
    step(2, 'SYSTEM', 'CHECKPOINT', { content: 'C' }),
    reply(3, { content: 'b' }),
  ];
  expect(runOf(antigravity, lines).epochs).toEqual([
    { turns: [0, 1], reason: null },
    { turns: [2, 3], reason: 'compaction' },
  ]);
});
