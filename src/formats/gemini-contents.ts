import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { objectOf, wrongType } from './fields.js';
import { geminiParts, modelPartSpans, userPartTurns } from './gemini-parts.js';
import { isSummary, REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { readRows } from './row-lists.js';
import { SessionRun } from './session-run.js';
import { asArray, asString, firstId, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const geminiContents: FormatAdapter = {
  name: 'gemini-contents',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Contents of the Gemini API under `contents`: bodies of requests, and rows for tuning in Vertex AI',
    recognised_by: 'rows with contents of role model|user with parts',
    scores: 'none',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning: 'parts marked as thought are summaries, never trained (reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'arguments are objects: the text that the model wrote is not recorded',
      'settings of the request; tools other than functions',
      'pictures and files become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const reason = 'rows with contents of the Gemini API';
  if (sniff.lines.some(isRow)) return { confidence: 'likely', reason, unit: 'line' };
  const { json } = sniff;
  const whole = isRow(json) || (Array.isArray(json) && json.length > 0 && json.every(isRow));
  return whole ? { confidence: 'likely', reason, unit: 'document' } : null;
}

function isRow(value: unknown): boolean {
  return isObject(value) && isContents(value['contents']);
}

/** Contents of Google's API, with a reply among them. */
export function isContents(value: unknown): value is readonly JsonObject[] {
  const items = asArray(value);
  return (
    items.some((item) => isObject(item) && item['role'] === 'model') &&
    items.every((item) => isObject(item) && Array.isArray(item['parts']) && isGeminiRole(item['role']))
  );
}

function isGeminiRole(role: unknown): boolean {
  return role === 'user' || role === 'model' || role === 'function';
}

/**
 * Appends what the API was given. Thoughts in it are summaries, which is all that it sends; replies that `written`
 * tells by their text are the harness's own.
 */
export function pushContents(
  run: SessionRun,
  contents: readonly JsonObject[],
  at: { readonly path: string; readonly written?: RegExp },
): void {
  contents.forEach((content, index) => {
    const path = `${at.path}[${index}].parts`;
    const parts = geminiParts(content['parts'], path);
    if (content['role'] !== 'model') {
      for (const { turn } of userPartTurns(parts, { path, timestamp: null })) run.push(turn);
      return;
    }
    const spans = modelPartSpans(parts, path, summarySpan);
    if (spans.some(isSummary)) run.flag(REASONING_SUMMARY);
    const turn = run.push(makeTurn('assistant', spans));
    if (at.written?.test(spans.map(({ text }) => text).join('')) === true) run.disown(turn, 'harness_reply');
  });
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (!Array.isArray(input)) return [readRow(objectOf(input, 'row'), context)];
  return readRows(input, context, (row, path) => [readRow(objectOf(row, path), context)]);
}

function readRow(row: JsonObject, context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  const system = row['systemInstruction'] ?? row['system_instruction'];
  const parts = isObject(system) && Array.isArray(system['parts']) ? system['parts'] : system;
  const texts = geminiParts(parts, 'systemInstruction').flatMap((part) => asString(part['text']) ?? []);
  if (texts.length > 0) {
    const spans = texts.map((text) => contentSpan('prompt', 'environment', text));
    run.push(makeTurn('system', spans));
  }
  const { contents } = row as { contents?: unknown };
  if (!isContents(contents))
    throw wrongType('contents', 'contents of a user and a model with parts', contents);
  pushContents(run, contents, { path: 'contents' });
  requireModelTurns(run.turns);
  const tools = asArray(row['tools']).flatMap(declarations);
  return run.finish(context, {
    session_id: firstId([row], ['session_id', 'id', 'key']),
    task_id: firstId([row], ['task_id', 'instance_id']),
    model: asString(row['model']),
    tools: tools.length > 0 ? JSON.stringify(tools) : null,
  });
}

/** Functions in the shape of the OpenAI API, which templates print. */
function declarations(tool: unknown): JsonObject[] {
  const list = isObject(tool) ? (tool['functionDeclarations'] ?? tool['function_declarations']) : [];
  return asArray(list).map((declaration) => ({ type: 'function', function: declaration }));
}
