import { readFileSync } from 'node:fs';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Version of this package, written into plans, manifests and dataset cards. */
export const TOOL_VERSION: string = String((manifest as { version?: unknown }).version);
