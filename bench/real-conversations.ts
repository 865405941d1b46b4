import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readManifest } from '../src/tables/manifest.js';
import { readShard } from '../src/tables/read-shard.js';
import { TABLES } from '../src/tables/table-specs.js';

/** A message in the fields of the chat API. */
export interface ChatFields {
  role: string;
  content: string;
  reasoning_content?: string;
  tool_calls?: Array<{ id?: string; type: string; function: { name: string; arguments: string } }>;
  tool_call_id?: string;
  name?: string;
}

/**
 * The conversations that the program itself finds in the logs under `$TRAJMILL_SHARED/logs` (or ../shared/logs), whole and
 * ended by a reply; none where there are no logs.
 */
export async function realConversations(): Promise<ChatFields[][]> {
  const logs = resolve(process.env['TRAJMILL_SHARED'] ?? '../shared', 'logs');
  if (!existsSync(logs)) return [];
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-logs-'));
  try {
    const pipeline = join(folder, 'logs.yaml');
    const input = JSON.stringify(`${logs}/**`);
    writeFileSync(
      pipeline,
      `version: 1\ninputs: [{ globs: [${input}] }]\nselection: { rules: [whole] }\ntables: [sft]\n`,
    );
    const args = ['dist/cli/main.js', 'run', pipeline, '--out', join(folder, 'out'), '--no-report'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the logs were not read: ${stderr}`);
    const { corpus, manifest } = await readManifest(join(folder, 'out'));
    const conversations: ChatFields[][] = [];
    for (const { path } of manifest.files) {
      for await (const { messages } of readShard(join(corpus, path), TABLES.sft, { columns: ['messages'] })) {
        conversations.push((JSON.parse(messages) as ChatFields[]).map(fieldsOf));
      }
    }
    return conversations.filter(endsWithReply);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The chat API's own fields of a stored message. */
function fieldsOf({ role, content, ...rest }: ChatFields): ChatFields {
  const { reasoning_content, tool_calls, tool_call_id, name } = rest;
  return {
    role,
    content,
    ...(reasoning_content === undefined ? {} : { reasoning_content }),
    ...(tool_calls === undefined
      ? {}
      : {
          tool_calls: tool_calls.map(({ id, type, function: own }) => ({
            ...(id === undefined ? {} : { id }),
            type,
            function: own,
          })),
        }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(name === undefined ? {} : { name }),
  };
}

function endsWithReply(messages: readonly ChatFields[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && last.tool_calls === undefined;
}
