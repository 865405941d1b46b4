import { readFileSync } from 'node:fs';
import type { RunFolder } from './run-folder.js';

/** Whether the corpus of this plan is committed: its manifest exists and names the plan. */
export function isCommitted(folder: RunFolder, planId: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(folder.manifest, 'utf8'));
    return (manifest as { plan_id?: unknown }).plan_id === planId;
  } catch {
    return false;
  }
}
