import { z } from 'zod';
import { EXECUTION_STATUSES, SCORE_SCALES } from '../trajectory/execution.js';
import { TERMINATIONS, taskClaimsSchema } from '../trajectory/trajectory.js';
import { policyTokensSchema } from '../trajectory/turn.js';

/** What stands in `format` of every record. */
export const NATIVE_FORMAT = 'trajmill-native';
/** Goes up when a field changes its meaning; new optional fields leave it. */
export const NATIVE_VERSION = 1;

const text = z.string();
const optionalText = text.nullable().default(null);
const index = z.int().min(0);

export const nativeCallSchema = z
  .strictObject({
    id: text.describe('unique in the record; the tool message that answers it names it'),
    name: text,
    arguments: text.describe('verbatim, as the model wrote them'),
    malformed: z.boolean().default(false).describe('the harness could not parse it and launched nothing'),
  })
  .describe('a tool call');

const common = {
  name: optionalText.describe('speaker or tool'),
  timestamp: optionalText.describe('ISO 8601'),
};

export const nativeMessageSchema = z
  .discriminatedUnion('role', [
    z.strictObject({ role: z.enum(['system', 'user']), content: text, ...common }),
    z.strictObject({
      role: z.literal('assistant'),
      content: text.default('').describe('verbatim; think tags and all'),
      reasoning: optionalText.describe('reasoning that the server returned beside the content'),
      calls: z.array(nativeCallSchema).default([]),
      stop: z
        .enum(['end', 'length', 'error', 'aborted'])
        .default('end')
        .describe('why generation stopped; `end` for the model itself'),
      copied: z
        .boolean()
        .default(false)
        .describe('inherited history, a compaction summary or prefill: never trained'),
      tokens: policyTokensSchema.nullable().default(null),
      ...common,
    }),
    z.strictObject({
      role: z.literal('tool'),
      call_id: text.describe('the call that it answers'),
      content: text,
      status: z.enum(EXECUTION_STATUSES).default('ok').describe('of calls that make no node'),
      ...common,
    }),
  ])
  .describe('one message, in order of generation over all contexts');

export const nativeNodeSchema = z
  .strictObject({
    id: text,
    parent: optionalText.describe('id of the node that it was made from'),
    call_id: text.describe('the execute_code call that launched it'),
    code: text.describe('the program that ran'),
    status: z.enum(EXECUTION_STATUSES),
    exit_code: z.int().nullable().default(null),
    seconds: z.number().nullable().default(null),
    started_at: optionalText,
    completed_at: optionalText,
    error_type: optionalText,
    logs: optionalText.describe('full output; what the model saw of it is the tool message'),
    full_solution: z
      .boolean()
      .nullable()
      .default(null)
      .describe('the harness knows it as a complete solution'),
    invalidated_by: optionalText.describe('id of the invalidate_node call, null while the node stands'),
    retry_of: optionalText.describe('node whose infrastructure failure this one repeats'),
    metadata: z.record(text, z.unknown()).default({}),
  })
  .describe('one run of a program');

export const nativeAnswerSchema = z
  .strictObject({
    node: text.nullable().describe('id of the node whose artefact was graded'),
    call_id: optionalText.describe('the update_answer call, null where the harness graded by itself'),
    shown: z.boolean().describe('the agent saw the score, in the answer to the call, else to the node'),
    gradable: z.boolean(),
    score: z.number().nullable().default(null),
    scale: z.enum(SCORE_SCALES),
    grader: optionalText,
    stale: z.boolean().default(false).describe('the artefact was left by an earlier node'),
  })
  .describe('an answer, as its grader saw it');

export const nativeRecordSchema = z
  .strictObject({
    format: z.literal(NATIVE_FORMAT),
    version: z.literal(NATIVE_VERSION),
    session_id: text,
    parent_session: optionalText.describe('of a sub-agent (analyze): the session that started it'),
    group: optionalText.describe('rollouts of one prompt share it'),
    task_id: optionalText,
    task_claims: taskClaimsSchema.nullable().default(null),
    scaffold: optionalText,
    scaffold_version: optionalText,
    model: optionalText,
    policy_version: optionalText,
    tools: z.array(z.unknown()).nullable().default(null).describe('definitions, as the model was shown them'),
    messages: z.array(nativeMessageSchema),
    nodes: z.array(nativeNodeSchema).default([]),
    answers: z.array(nativeAnswerSchema).default([]).describe('in order of grading'),
    epochs: z
      .array(z.strictObject({ messages: z.array(index), reason: optionalText }))
      .default([])
      .describe('contexts: indices of the messages that the model had before it; one context where empty'),
    termination: z.enum(TERMINATIONS),
    turn_budget: z.int().nullable().default(null),
    seconds_budget: z.number().nullable().default(null),
    resolved: z.boolean().nullable().default(null),
  })
  .describe('one run of an agent or sub-agent: one line of a trajmill-native log');

export type NativeRecord = z.infer<typeof nativeRecordSchema>;
export type NativeMessage = z.infer<typeof nativeMessageSchema>;
export type NativeNode = z.infer<typeof nativeNodeSchema>;
export type NativeAnswer = z.infer<typeof nativeAnswerSchema>;
