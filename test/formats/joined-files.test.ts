import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

/** Rows of one format each; every line is a run of its own. */
const ROWS: Readonly<Record<string, (text: string) => string>> = {
  'openai-messages': (text) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: 'ok' },
      ],
    }),
  'anthropic-messages': (text) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 't', input: {} }] },
      ],
    }),
  sharegpt: (text) =>
    JSON.stringify({
      conversations: [
        { from: 'human', value: text },
        { from: 'gpt', value: 'ok' },
      ],
    }),
  verifiers: (text) =>
    JSON.stringify({
      prompt: [{ role: 'user', content: text }],
      completion: [{ role: 'assistant', content: 'ok' }],
      reward: 1,
    }),
};

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('\ud83d', '\ude00x', 'é\u2028', '\0', '__proto__', '\ufeff'),
);
const line = fc
  .tuple(fc.constantFrom(...Object.keys(ROWS)), text)
  .map(([format, content]) => (ROWS[format] ?? String)(content));

it('two formats in one file of rows lose no line, whatever ends the lines', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\n\n', '\r\n \r\n', '\n\ufeff')), {
        minLength: 2,
        maxLength: 12,
      }),
      async (lines) => {
        const results = await readFiles({ f: lines.map(([row, end]) => row + end).join('') });
        expect(results).toHaveLength(lines.length);
        expect(rejectsOf(results).map(({ code }) => code)).not.toContain('internal');
        expect(trajectoriesOf(results).length).toBeGreaterThan(0);
        // each reject says where its line is, so that it can be read by another pass
        for (const { line: number, byte_end, byte_start } of rejectsOf(results)) {
          expect(number).toBeGreaterThan(0);
          expect(byte_end).toBeGreaterThan(byte_start);
        }
      },
    ),
    { numRuns: 150 },
  );
});

const LOGS = [
  'claude_code_session_jsonl/agent-history_claude_compaction.jsonl',
  'codex_rollout_jsonl/agent-history_codex_golden.jsonl',
  'pi_session_jsonl/large-session.jsonl',
];

describeWithShared('real logs, one after another in one file', () => {
  const logs = LOGS.map((log) =>
    readFileSync(sharedFile(`logs/${log}`), 'utf8')
      .split('\n')
      .filter((each) => each !== '')
      .slice(0, 60),
  );

  it('are read as one of them or refused by code, never with an unexpected fault', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.nat(logs.length - 1), fc.nat(logs.length - 1), fc.nat(59), fc.nat(59)),
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom('', '{"half": ', 'Welcome to Debian!', '\ufeff', '{"text": "\\ud83d"}'),
        async ([first, second, cutFirst, cutSecond], end, between) => {
          const lines = [
            ...(logs[first] ?? []).slice(0, cutFirst + 1),
            between,
            ...(logs[second] ?? []).slice(0, cutSecond + 1),
          ];
          const results = await readFiles({ f: lines.join(end) });
          expect(results.length).toBeGreaterThan(0);
          expect(rejectsOf(results).map(({ code, message }) => (code === 'internal' ? message : ''))).toEqual(
            rejectsOf(results).map(() => ''),
          );
          for (const run of trajectoriesOf(results)) expect(run.turns.map(turnContent).join()).not.toBe('');
        },
      ),
      { numRuns: 60 },
    );
  });
});
