import { parseJsonText } from '../logs/json.js';
import { DEFAULT_LIMITS } from '../logs/limits.js';
import type { ReadContext } from './adapter.js';
import { asArray, asNumber, hasKeys, isObject, type JsonObject } from './shape.js';

/** One stage's journal of a run. `name` is null for the file that is being read. */
export interface Stage {
  readonly name: string | null;
  readonly number: number;
  readonly journal: JsonObject;
}

const FILE_STAGE = /^(.*?)stage[_-]?(\d+)[^/]*journal\.json$/i;
const FOLDER_STAGE = /^stage_(\d+)_/;

/** Which run and stage a journal's name or folder states; null where it states none. */
export function stageOf(path: string): { readonly run: string; readonly number: number } | null {
  const parts = path.split('/');
  const file = parts.at(-1) ?? '';
  const byFile = FILE_STAGE.exec(file);
  if (byFile !== null) return { run: byFile[1] ?? '', number: Number(byFile[2]) };
  const byFolder = FOLDER_STAGE.exec(parts.at(-2) ?? '');
  return byFolder === null ? null : { run: `folder/${file}`, number: Number(byFolder[1]) };
}

/**
 * The stages of the run that a journal belongs to, in order, itself among them: by number, then by the time of their
 * last nodes. Companions that hold no journal, or are too large to be read beside another, are left out.
 */
export function stagesOf(own: JsonObject, context: ReadContext): Stage[] {
  const { path, byte_end, byte_start } = context.place;
  const stated = stageOf(path);
  const stages: Stage[] = [{ name: null, number: stated?.number ?? 1, journal: own }];
  // A journal that the others could not read stands alone, or its nodes would be nowhere.
  if (stated === null || byte_end - byte_start > DEFAULT_LIMITS.sidecar_bytes) return stages;
  for (const name of context.siblings.names) {
    const other = stageOf(name);
    if (other === null || other.run !== stated.run) continue;
    const journal = parseJournal(context.siblings.readText(name, 'stage'));
    if (journal !== null) stages.push({ name, number: other.number, journal });
  }
  return stages.sort((a, b) => a.number - b.number || lastTime(a) - lastTime(b));
}

/** Whether a document is a journal of AI-Scientist v2: AIDE's envelope with plots or metrics of several data sets. */
export function isV2Journal(document: unknown): document is JsonObject {
  if (!hasKeys(document, 'nodes', 'node2parent') || !isObject(document['node2parent'])) return false;
  return asArray(document['nodes']).some(
    (node) =>
      hasKeys(node, 'plot_code') ||
      (hasKeys(node, 'metric') && isObject(node['metric']) && isObject(node['metric']['value'])),
  );
}

function parseJournal(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    const { value } = parseJsonText(text);
    return isV2Journal(value) && asArray(value['nodes']).every(isObject) ? value : null;
  } catch {
    return null;
  }
}

function lastTime(stage: Stage): number {
  const times = asArray(stage.journal['nodes']).map((node) =>
    isObject(node) ? (asNumber(node['ctime']) ?? 0) : 0,
  );
  return times.reduce((last, time) => Math.max(last, time), 0);
}
