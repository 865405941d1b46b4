import { z } from 'zod';
import { FILTER_REASONS, type FilterReason } from '../selection/decision.js';
import { SCORE_SCALES } from '../trajectory/execution.js';

const reasons = Object.keys(FILTER_REASONS) as [FilterReason, ...FilterReason[]];

/** One trajectory in the survey: what global decisions need of it. Fields that no option asks for are absent. */
export const surveyRowSchema = z.strictObject({
  id: z.string().describe('trajectory_id'),
  input: z.int().describe('index into the inputs of the plan: path, stage and source'),
  format: z.string(),
  task: z.string().nullable().describe('task as resolved; null where nothing names one'),
  family: z.string().nullable().describe('family of its task record'),
  turns: z.int(),
  chars: z.int().describe('UTF-16 units that the model wrote'),
  rejected: z.literal(true).optional().describe('its task refuses it'),
  riches: z
    .tuple([z.int(), z.int(), z.int(), z.int(), z.int()])
    .optional()
    .describe(
      'what is known beside its turns: graded executions, scores, its task, turns with recorded tokens, a known end',
    ),
  left_out: z
    .strictObject({ reason: z.enum(reasons), detail: z.string() })
    .optional()
    .describe('what keeps it out whatever it holds: decontamination, an unsound task'),
  prospect: z
    .union([z.boolean(), z.number()])
    .optional()
    .describe('whether selection keeps it, or the score that must reach a threshold taken from the corpus'),
  scores: z
    .partialRecord(z.enum(SCORE_SCALES), z.array(z.number()))
    .optional()
    .describe('finite scores of its submissions by scale, in order of observation'),
  replies: z
    .string()
    .optional()
    .describe(
      'keys of its replies, 8 bytes each in base64: equal where two logs hold one reply; 0 where none is known',
    ),
  signature: z.string().optional().describe('MinHash signature: little-endian 32-bit integers in base64'),
});
export type SurveyRow = z.infer<typeof surveyRowSchema>;

/** Survey of a task: its trajectories in the order of reading. */
export const surveySchema = z.strictObject({
  plan_id: z.string(),
  task: z.int(),
  rows: z.array(surveyRowSchema),
});
export type Survey = z.infer<typeof surveySchema>;

export function encodeSignature(signature: Uint32Array): string {
  const bytes = Buffer.alloc(signature.length * 4);
  for (const [index, value] of signature.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes.toString('base64');
}

export function decodeSignature(text: string): Uint32Array {
  const bytes = Buffer.from(text, 'base64');
  return Uint32Array.from({ length: bytes.length >> 2 }, (_, index) => bytes.readUInt32LE(index * 4));
}
