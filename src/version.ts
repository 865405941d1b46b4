import { createRequire } from 'node:module';

// by name, since the distance to it is another in each build
const manifest: unknown = createRequire(import.meta.url)('trajmill/package.json');

/** Version of this package, written into plans, manifests and dataset cards. */
export const TOOL_VERSION: string = String((manifest as { version?: unknown }).version);
