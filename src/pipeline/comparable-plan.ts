import type { PlanBody } from './plan.js';

/**
 * What of a plan decides a corpus, in a form that can be compared: settings and versions as they stand, inputs by path
 * with the beginning of their sum, task records by id. How inputs are cut into tasks is left out.
 */
export function comparableConfig(body: PlanBody): unknown {
  const { config, tokenizer_sha256, template_sha256, schema_version, adapters } = body;
  return {
    config,
    schema_version,
    tokenizer_sha256,
    template_sha256,
    adapters,
    task_records: Object.fromEntries(body.task_records.map((record) => [record.task_id, record])),
    inputs: Object.fromEntries(body.inputs.map(({ path, sha256 }) => [path, sha256?.slice(0, 12) ?? null])),
  };
}
