import { z } from 'zod';
import { taskRecordSchema } from '../grading/task-record.js';
import { trajectorySchema } from '../trajectory/trajectory.js';
import { pipelineSchema } from './config.js';
import { planSchema } from './plan.js';

/** JSON Schemas for editors and other tools, by file name under schemas/. Inputs are described as people write them. */
export function jsonSchemas(): Readonly<Record<string, object>> {
  const taskFile = z.union([z.array(taskRecordSchema), z.strictObject({ tasks: z.array(taskRecordSchema) })]);
  return {
    'pipeline.schema.json': describe(
      'A trajmill pipeline file',
      z.toJSONSchema(pipelineSchema, { io: 'input' }),
    ),
    'tasks.schema.json': describe('A file of task records', z.toJSONSchema(taskFile, { io: 'input' })),
    'trajectory.schema.json': describe('A canonical trajectory', z.toJSONSchema(trajectorySchema)),
    'plan.schema.json': describe('A frozen plan', z.toJSONSchema(planSchema)),
  };
}

function describe(title: string, schema: object): object {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema };
}
