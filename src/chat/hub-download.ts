import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { cachedHubFile, hubCacheOf, isHubName } from './hub-model.js';

/** What trajmill reads of a model; only the first must be there. */
const FILES = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'] as const;

const DEFAULT_ENDPOINT = 'https://huggingface.co';

/**
 * Fetches the tokenizer and the chat template of those `owner/model` names that the local Hugging Face cache lacks,
 * into that cache. Called only where the user allowed it. HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE are honoured.
 * Returns the names that were fetched.
 *
 * @throws TrajmillError E_TOKENIZER where a model cannot be fetched
 */
export async function downloadMissing(names: readonly string[], signal?: AbortSignal): Promise<string[]> {
  const missing = [...new Set(names)].filter(
    (name) => isHubName(name) && cachedHubFile(name, FILES[0]) === null,
  );
  for (const name of missing) await download(name, signal);
  return missing;
}

async function download(name: string, signal: AbortSignal | undefined): Promise<void> {
  if ((process.env['HF_HUB_OFFLINE'] ?? '0') !== '0') throw refused(name, 'HF_HUB_OFFLINE is set');
  const fetched: { file: string; bytes: Uint8Array }[] = [];
  let commit = 'main';
  for (const file of FILES) {
    const response = await request(name, { file, commit, signal });
    if (response.status === 404 && file !== FILES[0]) continue;
    if (!response.ok) throw refused(name, `${file}: the hub answers ${response.status}`);
    // the other files come from the commit of the first
    commit = response.headers.get('x-repo-commit') ?? commit;
    if (!/^[\w.-]+$/.test(commit)) throw refused(name, 'the hub names no commit');
    fetched.push({ file, bytes: new Uint8Array(await response.arrayBuffer()) });
  }
  const model = hubCacheOf(name);
  const snapshot = join(model, 'snapshots', commit);
  mkdirSync(snapshot, { recursive: true });
  mkdirSync(join(model, 'refs'), { recursive: true });
  for (const { file, bytes } of fetched) writeWhole(join(snapshot, file), bytes);
  writeWhole(join(model, 'refs', 'main'), Buffer.from(commit));
}

async function request(
  name: string,
  { file, commit, signal }: { file: string; commit: string; signal: AbortSignal | undefined },
): Promise<Response> {
  const endpoint = (process.env['HF_ENDPOINT'] ?? DEFAULT_ENDPOINT).replace(/\/+$/, '');
  const token = process.env['HF_TOKEN'] ?? '';
  try {
    return await fetch(`${endpoint}/${name}/resolve/${commit}/${file}`, {
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    throw refused(name, `${file}: the hub cannot be reached`, cause);
  }
}

/** A file is there whole or not at all. */
function writeWhole(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, bytes);
  renameSync(temporary, path);
}

function refused(name: string, reason: string, cause?: unknown): TrajmillError {
  return new TrajmillError('E_TOKENIZER', `cannot download ${name}: ${reason}`, { cause });
}
