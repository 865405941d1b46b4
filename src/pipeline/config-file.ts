import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { TrajmillError } from '../errors.js';
import { type PipelineConfig, pipelineFields, pipelineSchema } from './config.js';
import { configFaults } from './config-faults.js';
import { readNamedFile } from './named-file.js';

/** What may be written, as a JSON Schema; made when a file has a fault. */
const writtenSchema = () => z.toJSONSchema(pipelineFields, { io: 'input', unrepresentable: 'any' });

/**
 * Parses a pipeline file. Faults are E_CONFIG with path:line:column, one line for each, with the allowed values.
 */
export function parsePipeline(text: string, path: string): PipelineConfig {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const place = (offset: number | undefined): string => {
    if (offset === undefined) return path;
    const { line, col } = lineCounter.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const syntax = document.errors[0];
  if (syntax !== undefined) {
    throw new TrajmillError('E_CONFIG', syntax.message, { place: place(syntax.pos[0]) });
  }

  const value = toValue(document, path) ?? {};
  const result = pipelineSchema.safeParse(value);
  if (result.success) return result.data;
  const checked = { schema: writtenSchema(), value };
  const faults = result.error.issues.flatMap((issue) => configFaults(issue, checked));
  const lines = faults.map(({ path: nodePath, text }) => {
    let offset: number | undefined;
    // the deepest node that exists: of a missing key its parent
    for (let depth = nodePath.length; depth >= 0 && offset === undefined; depth--) {
      const path = nodePath.slice(0, depth);
      const parent = document.getIn(path.slice(0, -1), true);
      const key = path.at(-1);
      offset = keyOffset(parent, key) ?? nodeOffset(document.getIn(path, true));
    }
    return `${place(offset)}: ${text}`;
  });
  throw new TrajmillError('E_CONFIG', lines.join('\n'));
}

/** The plain value of a document; one whose aliases unfold without end is refused. */
function toValue(document: Document, path: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TrajmillError('E_CONFIG', reason, { place: path, cause });
  }
}

function nodeOffset(node: unknown): number | undefined {
  const range = (node as { range?: readonly number[] } | null | undefined)?.range;
  return range?.[0];
}

function keyOffset(parent: unknown, key: PropertyKey | undefined): number | undefined {
  const items = (parent as { items?: readonly { key?: { value?: unknown } }[] } | null | undefined)?.items;
  if (key === undefined || !Array.isArray(items)) return undefined;
  const pair = items.find((item) => item?.key?.value === key);
  return nodeOffset(pair?.key);
}

/** Reads a pipeline file from disk. Throws TrajmillError E_CONFIG for a name or a content that is wrong, E_IO else. */
export function readPipeline(path: string): PipelineConfig {
  const text = readNamedFile(path, { what: 'pipeline file', named: path, code: 'E_CONFIG' }).toString('utf8');
  return parsePipeline(text, path);
}
