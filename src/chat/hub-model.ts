import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `owner/model`, as the Hugging Face hub names models. */
export function isHubName(name: string): boolean {
  return /^[\w-][\w.-]*\/[\w-][\w.-]*$/.test(name);
}

/** The folder of a model in the local Hugging Face cache (HF_HUB_CACHE, HF_HOME), laid out as its own tools do. */
export function hubCacheOf(name: string): string {
  const home = process.env['HF_HOME'] ?? join(homedir(), '.cache', 'huggingface');
  const hub = process.env['HF_HUB_CACHE'] ?? join(home, 'hub');
  return join(hub, `models--${name.replace('/', '--')}`);
}

/** A file of the model's main revision in the local cache; null where it is not there. Nothing is downloaded. */
export function cachedHubFile(name: string, file: string): string | null {
  if (!isHubName(name)) return null;
  const model = hubCacheOf(name);
  const ref = join(model, 'refs', 'main');
  if (!existsSync(ref)) return null;
  const path = join(model, 'snapshots', readFileSync(ref, 'utf8').trim(), file);
  return existsSync(path) ? path : null;
}
