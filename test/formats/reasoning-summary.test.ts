import { describe, expect, it } from 'vitest';
import { onlyTrajectory, readFiles } from './read-all.js';

const lines = (...records: unknown[]): string =>
  `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
const item = (payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type: 'response_item', payload });
const event = (payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type: 'event_msg', payload });
const META = { timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: { id: 's' } };
const USER = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] };
const REPLY = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
const SUMMARY = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'S' }], encrypted_content: 'x' };
const pi = (api: string) =>
  lines(
    { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00Z', cwd: '/' },
    { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'go' } },
    {
      type: 'message',
      id: 'b',
      parentId: 'a',
      message: {
        role: 'assistant',
        api,
        model: 'm',
        content: [
          { type: 'thinking', thinking: 'S' },
          { type: 'text', text: 'done' },
        ],
        stopReason: 'stop',
      },
    },
  );
const claude = (model: string) =>
  lines({
    messages: [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        model,
        content: [
          { type: 'thinking', thinking: 'S', signature: 'x' },
          { type: 'text', text: 'done' },
        ],
      },
    ],
    model,
  });

/** The log, who wrote its reasoning S, and its flags about that. */
const CASES: readonly (readonly [string, string, 'model' | 'environment', readonly string[]])[] = [
  [
    'a summary in a rollout of Codex',
    lines(META, item(USER), item(SUMMARY), item(REPLY)),
    'environment',
    ['reasoning_summary'],
  ],
  [
    'a summary that only an event of Codex has',
    lines(META, item(USER), event({ type: 'agent_reasoning', text: 'S' }), item(REPLY)),
    'environment',
    ['reasoning_summary'],
  ],
  [
    'a summary that an event of Codex repeats',
    lines(META, item(USER), event({ type: 'agent_reasoning', text: 'S' }), item(SUMMARY), item(REPLY)),
    'environment',
    ['reasoning_summary'],
  ],
  [
    'reasoning whose text Codex logs',
    lines(
      META,
      item(USER),
      item({ ...SUMMARY, content: [{ type: 'reasoning_text', text: 'S' }] }),
      item(REPLY),
    ),
    'model',
    [],
  ],
  [
    'items of the Responses API',
    JSON.stringify([USER, SUMMARY, REPLY]),
    'environment',
    ['reasoning_summary'],
  ],
  [
    'contents of the Gemini API',
    JSON.stringify([
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [{ text: 'S', thought: true }, { text: 'done' }] },
    ]),
    'environment',
    ['reasoning_summary'],
  ],
  ['pi with the Responses API', pi('openai-responses'), 'environment', ['reasoning_summary']],
  ['pi with the Gemini API', pi('google-generative-ai'), 'environment', ['reasoning_summary']],
  ['pi with the chat API', pi('openai-completions'), 'model', []],
  ['thinking of Claude 3.7', claude('claude-3-7-sonnet-20250219'), 'model', []],
  ['thinking of Claude 4', claude('claude-sonnet-4-5-20250929'), 'model', ['reasoning_may_be_summary']],
];

describe('reasoning', () => {
  it.each(CASES)('%s', async (_, log, origin, flags) => {
    const run = onlyTrajectory(await readFiles({ f: log }));
    const found = run.turns.flatMap((turn) => turn.spans).filter((span) => span.kind === 'reasoning');
    expect(found.map(({ text, origin: by, inline }) => ({ text, by, inline }))).toEqual([
      { text: 'S', by: origin, inline: false },
    ]);
    const all = new Set([...run.flags, ...run.turns.flatMap((turn) => turn.flags)]);
    expect([...all].filter((flag) => flag.startsWith('reasoning_'))).toEqual(flags);
  });
});
