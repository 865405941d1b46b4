import type { TaskRecord } from '../../src/grading/task-record.js';
import { pipelineFields } from '../../src/pipeline/config.js';
import { type Plan, type PlanBody, type PlanInput, sealPlan } from '../../src/pipeline/plan.js';
import type { SurveyRow } from '../../src/pipeline/survey.js';

/** A plan with the options of a pipeline, over inputs that need not exist. */
export function planOf(
  options: object,
  rest: { inputs?: Partial<PlanInput>[]; tasks?: number; records?: TaskRecord[] } & Partial<
    Pick<PlanBody, 'corpus_thresholds'>
  > = {},
): Plan {
  const { inputs: _inputs, out: _out, ...config } = pipelineFields.parse({ version: 1, ...options });
  const input = { path: 'a.jsonl', bytes: 1, sha256: '', format: 'auto', stage: null, source: null };
  return sealPlan({
    schema_version: 1,
    tool_version: '0',
    config,
    tokenizer_sha256: '',
    template_sha256: '',
    adapters: {},
    task_records: rest.records ?? [],
    corpus_thresholds: rest.corpus_thresholds ?? [],
    decontamination: { lists: [], texts: [] },
    inputs: (rest.inputs ?? [{}]).map((each) => ({ ...input, ...each })),
    companions: [],
    tasks: Array.from({ length: rest.tasks ?? 1 }, () => []),
  });
}

/** A surveyed trajectory of which nothing but its id is known. */
export function surveyedRow(id: string, rest: Partial<SurveyRow> = {}): SurveyRow {
  return { id, input: 0, format: 'x', task: null, family: null, turns: 1, chars: 1, ...rest };
}
