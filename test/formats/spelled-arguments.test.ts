import { describe, expect, it } from 'vitest';
import { loadRenderer } from '../../src/chat/load-renderer.js';
import { toChatMessage } from '../../src/chat/message.js';
import { onlyTrajectory, readFiles } from './read-all.js';

const ARGUMENTS = '{"lr": 1.0, "steps": 1e5, "seed": 12345678901234567890, "b": 1, "2": 0.50, "t": "1.0"}';
const WRITTEN = '{"lr":1.0,"steps":1e5,"seed":12345678901234567890,"b":1,"2":0.50,"t":"1.0"}';
/** As Python's json prints what it read, which is what a template does. */
const PRINTED = '{"lr": 1.0, "steps": 100000.0, "seed": 12345678901234567890, "b": 1, "2": 0.5, "t": "1.0"}';

const LOGS = {
  'anthropic-messages': `[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"train","input":${ARGUMENTS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}]`,
  'openai-messages': `{"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"train","arguments":${ARGUMENTS}}}]}]}\n`,
  'gemini-cli': `[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"train","args":${ARGUMENTS}}}]}]`,
  atif: `{"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"go"},{"step_id":2,"source":"agent","message":"","tool_calls":[{"tool_call_id":"a","function_name":"train","arguments":${ARGUMENTS}}]}]}`,
};

describe('arguments that the log holds as an object', () => {
  it.each(Object.entries(LOGS))('keep their numbers and the order of their keys: %s', async (format, log) => {
    const run = onlyTrajectory(await readFiles({ f: log }));
    expect(run.source.format).toBe(format);
    const turn = run.turns.findIndex(({ role }) => role === 'assistant');
    const span = run.turns[turn]?.spans.find(({ kind }) => kind === 'tool_call');
    expect(span?.call).toMatchObject({ arguments: WRITTEN, arguments_were_object: true });
    expect(span?.text).toBe(WRITTEN);
    const message = run.turns[turn] === undefined ? null : toChatMessage(run.turns[turn], turn);
    expect(message?.calls[0]?.arguments).toBe(PRINTED);
  });

  it('are printed by a template as Python prints them', async () => {
    const run = onlyTrajectory(await readFiles({ f: LOGS['openai-messages'] }));
    const { segments } = loadRenderer({ template: 'qwen3' }).render({
      turns: run.turns,
      indices: [0, 1],
      tools: null,
    });
    expect(JSON.stringify(segments)).toContain('100000.0');
  });
});
