import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jsonSchemas } from '../../src/pipeline/json-schemas.js';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the schemas for editors', () => {
  it.each(Object.entries(jsonSchemas()))('%s is current (npm run generate)', (name, schema) => {
    expect(JSON.parse(read(`schemas/${name}`))).toEqual(JSON.parse(JSON.stringify(schema)));
  });

  it('accept the shipped pipelines and refuse an unknown key', () => {
    const schema = jsonSchemas()['pipeline.schema.json'] ?? {};
    const validate = new Ajv2020({ strict: false }).compile(schema);
    for (const name of ['demo', 'mle-sft', 'tree-sft', 'wirl-windows']) {
      const pipeline: unknown = parse(read(`pipelines/${name}.yaml`));
      expect(validate(pipeline), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...(pipeline as object), colour: 'red' })).toBe(false);
    }
  });

  it('accept the shipped task records', () => {
    const validate = new Ajv2020({ strict: false }).compile(jsonSchemas()['tasks.schema.json'] ?? {});
    for (const name of ['mlebench', 'samples']) {
      expect(validate(JSON.parse(read(`data/tasks/${name}.json`))), JSON.stringify(validate.errors)).toBe(
        true,
      );
    }
  });
});
