import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { FormatAdapter, Sniff } from '../../src/formats/adapter.js';
import { foreignLines } from '../../src/formats/foreign-lines.js';
import { hasKeys } from '../../src/formats/shape.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { readFiles } from './read-all.js';

const CLAUDE = [
  { type: 'user', uuid: 'a', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'go' } },
  {
    type: 'assistant',
    uuid: 'b',
    parentUuid: 'a',
    sessionId: 's',
    message: { id: 'm', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'done' }] },
  },
];
const CODEX = [
  { timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: { id: 'c', cwd: '/' } },
  {
    timestamp: '2026-01-01T00:00:01Z',
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  },
  {
    timestamp: '2026-01-01T00:00:02Z',
    type: 'response_item',
    payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] },
  },
];
const lines = (...records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** What became of a file: formats of its runs, and its rejects with their lines. */
async function readLog(text: string): Promise<{ runs: string[]; rejects: unknown[] }> {
  const results = await readFiles({ 'log.jsonl': text });
  return {
    runs: results.flatMap((each) => (each.kind === 'trajectory' ? [each.trajectory.source.format] : [])),
    rejects: results.flatMap((each) =>
      each.kind === 'reject' ? [[each.reject.code, each.reject.line, each.reject.format]] : [],
    ),
  };
}

it('refuses a log of another format that was joined to a session, with its line', async () => {
  expect(await readLog(lines(...CLAUDE, ...CODEX))).toEqual({
    runs: ['claude-code-session'],
    rejects: [['mixed_formats', 3, 'codex-rollout']],
  });
});

it('says nothing of a session that is whole', async () => {
  expect(await readLog(lines(...CLAUDE))).toEqual({ runs: ['claude-code-session'], rejects: [] });
  expect(await readLog(lines(...CODEX))).toEqual({ runs: ['codex-rollout'], rejects: [] });
});

it('leaves a line to its own format where both claim it', () => {
  const claiming = (name: string, key: string): FormatAdapter =>
    ({
      name,
      unit: 'lines',
      detect: ({ lines: [line] }: Sniff) =>
        hasKeys(line, key) ? { confidence: 'certain', reason: '' } : null,
    }) as unknown as FormatAdapter;
  const [own, other] = [claiming('own', 'a'), claiming('other', 'b')];
  const sniff: Sniff = {
    path: '',
    head: '',
    json: undefined,
    lines: [],
    siblings: { names: [], readText: () => null },
  };
  const records = [{ a: 1 }, { a: 1, b: 1 }, { b: 1 }, { c: 1 }, { b: 1 }];
  expect(foreignLines(records, { own, formats: [own, other], sniff })).toEqual([
    { format: 'other', count: 2, first: 2 },
  ]);
});

describeWithShared('real logs', () => {
  const LOGS = [
    'claude_code_session_jsonl/v2.0.42_thinking.jsonl',
    'codex_rollout_jsonl/agent-sessions_codex_small.jsonl',
    'pi_session_jsonl/agent-sessions_pi_small.jsonl',
    'copilot_cli_events_jsonl/small.jsonl',
    'qwen_code_jsonl/system_telemetry.jsonl',
    'antigravity_jsonl/cli_small.jsonl',
  ].map((path) => ({ path, text: readFileSync(sharedFile(`logs/${path}`), 'utf8').trimEnd() }));

  it('never lose a log that is joined to another', async () => {
    for (const one of LOGS) {
      expect((await readLog(one.text)).rejects.filter((reject) => String(reject).includes('mixed'))).toEqual(
        [],
      );
      for (const other of LOGS) {
        if (other === one) continue;
        const { runs, rejects } = await readLog(`${one.text}\n${other.text}\n`);
        expect([one.path, other.path, runs.length + rejects.length > 1]).toEqual([
          one.path,
          other.path,
          true,
        ]);
      }
    }
  });
});
