import { z } from 'zod';
import { RejectError } from '../logs/reject.js';
import { makeSubmission, makeTurn, reasoningSpan } from '../trajectory/build.js';
import { type Execution, SCORE_SCALES, type Submission } from '../trajectory/execution.js';
import type { Span } from '../trajectory/span.js';
import { ROLES, type Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { CHAT_ROLES } from './chat-roles.js';
import { assistantSpans, contentParts, environmentSpans } from './content-parts.js';
import { objectOf, wrongType } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { jsonPathSchema, valueAt } from './json-path.js';
import { SessionRun } from './session-run.js';
import { asBoolean, asId, asString } from './shape.js';
import { requireModelTurns } from './shell-executions.js';
import { callSpan, toolCallSpans } from './structured-calls.js';
import { textCallMarks } from './text-calls.js';

const path = jsonPathSchema.optional();

/** A format that a pipeline declares by paths: one list of turns, whose fields lie at fixed places. */
export const declaredFormatSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'lower case words joined by hyphens')
      .describe('under which inputs and experiments name it; not that of a built-in format'),
    unit: z
      .enum(['document', 'line', 'lines'])
      .describe('a run is a whole JSON file, one line of a file, or all lines of a file (each line a turn)'),
    detect: z
      .strictObject({
        has: z
          .array(jsonPathSchema)
          .min(1)
          .describe('paths that must all be there, from the run or the line'),
      })
      .describe('how content of this format is told'),
    turns: path.describe('the list of turns in a run; for `lines` the lines themselves'),
    role: jsonPathSchema.describe('from a turn'),
    content: jsonPathSchema.describe('from a turn: text or a list of parts'),
    reasoning: path.describe('from a turn of the model: reasoning beside the content'),
    tool_calls: z
      .union([
        jsonPathSchema,
        z.strictObject({ list: jsonPathSchema, id: path, name: jsonPathSchema, arguments: jsonPathSchema }),
      ])
      .optional()
      .describe(
        'from a turn of the model: a list in the shape of OpenAI, or a list and where its fields lie',
      ),
    tool_call_id: path.describe('from a turn of a tool: the call that it answers'),
    timestamp: path.describe('from a turn'),
    roles: z
      .record(z.string(), z.enum(ROLES))
      .default({})
      .describe('names of roles beside system, developer, user, assistant, tool and function'),
    session_id: path.describe('from the run, as all that follow'),
    task_id: path,
    model: path,
    tools: path,
    resolved: path,
    score: z
      .strictObject({
        path: jsonPathSchema.describe('from a turn: a number, or null where the submission was refused'),
        scale: z.enum(SCORE_SCALES),
      })
      .optional()
      .describe('scores that turns show; each belongs to the experiment before it'),
  })
  .superRefine((format, context) => {
    if ((format.turns === undefined) !== (format.unit === 'lines')) {
      const message =
        format.unit === 'lines'
          ? 'the lines themselves are the turns of unit lines'
          : 'needed: path of the list of turns';
      context.addIssue({ code: 'custom', path: ['turns'], message });
    }
  })
  .describe('one more format, declared by paths');

export type DeclaredFormat = z.infer<typeof declaredFormatSchema>;

/** The adapter of a declared format. Fields that no path names are not read. */
export function declaredAdapter(format: DeclaredFormat): FormatAdapter {
  return {
    name: format.name,
    version: '1',
    unit: format.unit,
    experiments: { experiment: [], scoring: [] },
    notes: {
      title: 'declared in the pipeline file',
      recognised_by: `paths ${format.detect.has.join(', ')}`,
      scores:
        format.score === undefined ? 'none' : `${format.score.path} of a turn, scale ${format.score.scale}`,
      executions: 'only where the pipeline names tools or command patterns; status from the feedback',
      reasoning: format.reasoning ?? 'think tags in the text',
      token_ids: 'none',
      logprobs: 'none',
      loss: ['every field that no path names'],
    },
    detect: (sniff) => detect(format, sniff),
    sessionOf: (record) => ({
      session: format.session_id === undefined ? null : asId(valueAt(record, format.session_id)),
    }),
    read: (input, context) => [readRun(format, input, context)],
  };
}

function detect(format: DeclaredFormat, sniff: Sniff): Detection | null {
  const { has } = format.detect;
  const matches = (value: unknown): boolean => has.every((each) => valueAt(value, each) !== undefined);
  const found = format.unit === 'document' ? matches(sniff.json) : sniff.lines.some(matches);
  if (!found) return null;
  return { confidence: 'certain', reason: `has ${has.join(', ')}`, unit: format.unit };
}

function readRun(format: DeclaredFormat, input: unknown, context: ReadContext): RawTrajectory {
  const list = format.turns === undefined ? input : valueAt(input, format.turns);
  const listPath = format.turns ?? 'lines';
  if (!Array.isArray(list)) throw wrongType(listPath, 'a list', list);
  if (list.length === 0) throw new RejectError('no_turns', `${listPath} is empty`);
  const run = new SessionRun();
  const scores = new Map<number, number | null>();
  list.forEach((value, index) => {
    const at = run.push(readTurn(format, value, `${listPath}[${index}]`));
    const score = format.score === undefined ? undefined : valueAt(value, format.score.path);
    if (score !== undefined)
      scores.set(at, finiteScore(score, `${listPath}[${index}].${format.score?.path}`));
  });
  requireModelTurns(run.turns);
  const record: unknown = Array.isArray(input) ? list[0] : input;
  const at = (where: string | undefined): unknown =>
    where === undefined ? undefined : valueAt(record, where);
  const tools = at(format.tools) ?? null;
  const raw = run.finish(context, {
    session_id: asId(at(format.session_id)),
    task_id: asId(at(format.task_id)),
    model: asString(at(format.model)),
    tools: tools === null || typeof tools === 'string' ? asString(tools) : JSON.stringify(tools),
    resolved: asBoolean(at(format.resolved)),
  });
  return format.score === undefined ? raw : withScores(raw, scores, format.score.scale);
}

function finiteScore(value: unknown, where: string): number | null {
  if (value === null) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  throw wrongType(where, 'a number', value);
}

function readTurn(format: DeclaredFormat, value: unknown, where: string): Turn {
  const fields = objectOf(value, where);
  const logged = valueAt(fields, format.role);
  if (typeof logged !== 'string') throw wrongType(`${where}.${format.role}`, 'a string', logged);
  const roles = { ...CHAT_ROLES, ...format.roles };
  const role = Object.hasOwn(roles, logged) ? roles[logged] : undefined;
  if (role === undefined)
    throw wrongType(`${where}.${format.role}`, `a known role (not "${logged}")`, logged);
  const parts = contentParts(valueAt(fields, format.content), `${where}.${format.content}`);
  const timestamp = format.timestamp === undefined ? null : asString(valueAt(fields, format.timestamp));
  if (role === 'assistant') {
    const calls = callSpans(format, fields, where);
    const spans = [
      ...reasoningSpans(format, fields, where),
      ...assistantSpans(parts, (text) => actionSpans(text, calls.length > 0 ? [] : textCallMarks(text))),
      ...calls,
    ];
    return makeTurn('assistant', spans, { timestamp });
  }
  const id = format.tool_call_id === undefined ? null : asId(valueAt(fields, format.tool_call_id));
  const kind = role === 'tool' ? 'observation' : 'prompt';
  return makeTurn(role, environmentSpans(kind, parts), {
    timestamp,
    tool_call_id: role === 'tool' ? id : null,
  });
}

function reasoningSpans(format: DeclaredFormat, fields: unknown, where: string): Span[] {
  const value = format.reasoning === undefined ? null : (valueAt(fields, format.reasoning) ?? null);
  if (value === null || value === '') return [];
  if (typeof value !== 'string') throw wrongType(`${where}.${format.reasoning}`, 'a string', value);
  return [reasoningSpan(value)];
}

function callSpans(format: DeclaredFormat, fields: unknown, where: string): Span[] {
  const declared = format.tool_calls;
  if (declared === undefined) return [];
  const listPath = typeof declared === 'string' ? declared : declared.list;
  const list = valueAt(fields, listPath) ?? [];
  if (!Array.isArray(list)) throw wrongType(`${where}.${listPath}`, 'a list', list);
  if (typeof declared === 'string') return toolCallSpans(list, `${where}.${listPath}`);
  return list.map((call, index) => {
    const name = valueAt(call, declared.name);
    if (typeof name !== 'string')
      throw wrongType(`${where}.${listPath}[${index}].${declared.name}`, 'a string', name);
    const id = declared.id === undefined ? null : asId(valueAt(call, declared.id));
    return callSpan({ id, name, arguments: valueAt(call, declared.arguments) });
  });
}

/** Each score is of the latest experiment whose call stands before the turn that shows it. */
function withScores(
  raw: RawTrajectory,
  scores: ReadonlyMap<number, number | null>,
  scale: Submission['scale'],
): RawTrajectory {
  const experiments = raw.executions.filter((execution) => execution.kind === 'experiment');
  const submissions = [...scores].flatMap(([turn, score]): Submission[] => {
    const of: Execution | undefined = experiments.findLast((execution) => execution.call_turn < turn);
    if (of === undefined) return [];
    const stale = of.status === 'error' || of.status === 'timeout';
    return [
      makeSubmission(
        { execution_id: of.execution_id, order: 0, gradable: score !== null, score, scale },
        { observed_turn: turn, stale },
      ),
    ];
  });
  const lost = submissions.length < scores.size ? ['no_experiment_before'] : [];
  return {
    ...raw,
    submissions: submissions.map((submission, order) => ({ ...submission, order })),
    feedback_exposes_test_score: submissions.length > 0 && scale === 'test',
    flags: [...raw.flags.filter((flag) => flag !== 'submissions_not_recorded'), ...lost],
  };
}
