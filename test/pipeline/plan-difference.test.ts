import { describe, expect, it } from 'vitest';
import { taskRecordSchema } from '../../src/grading/task-record.js';
import { pipelineFields } from '../../src/pipeline/config.js';
import type { PlanBody } from '../../src/pipeline/plan.js';
import { planDifference } from '../../src/pipeline/plan-difference.js';
import { nearestWord } from '../../src/pipeline/schema-words.js';
import { temporaryFolder, trajmill, writePipeline } from './child-run.js';

const { inputs: _inputs, out: _out, ...config } = pipelineFields.parse({ version: 1 });
const input = (path: string, sha256: string): PlanBody['inputs'][number] => ({
  path,
  bytes: 1,
  sha256,
  format: 'auto',
  stage: null,
  source: null,
});
const task = (id: string, change: object = {}) =>
  taskRecordSchema.parse({ task_id: id, is_lower_better: false, ...change });

const BODY: PlanBody = {
  schema_version: 1,
  tool_version: '1.0.0',
  config,
  tokenizer_sha256: 'a',
  template_sha256: 'b',
  adapters: { atif: '1' },
  task_records: [task('one'), task('two')],
  corpus_thresholds: [],
  decontamination: { lists: [{ name: 'lite', ids: ['x'] }], texts: [] },
  inputs: [input('runs/a.json', 'aa'), input('runs/b.json', 'bb')],
  companions: [],
  tasks: [[]],
};

describe('what makes two plans different', () => {
  it.each<[string, Partial<PlanBody>, string]>([
    [
      'options',
      { config: { ...config, seed: 7, mask: { ...config.mask, policy: 'trl' } } },
      'mask.policy was "sampled", now "trl"; seed was 0, now 7',
    ],
    ['the version of the tool', { tool_version: '1.1.0' }, 'tool_version was "1.0.0", now "1.1.0"'],
    [
      'the tokenizer and the template',
      { tokenizer_sha256: 'c', template_sha256: 'd' },
      'the tokenizer changed; the chat template changed',
    ],
    ['the version of a format', { adapters: { atif: '2' } }, 'version of format atif changed'],
    [
      'inputs',
      { inputs: [input('runs/b.json', 'cc'), input('runs/c.json', 'aa')] },
      'input runs/a.json is gone; input runs/b.json changed; input runs/c.json is new',
    ],
    [
      'task records, each once',
      { task_records: [task('one'), task('two', { is_lower_better: true, metric: 'rmse' })] },
      'task record two changed',
    ],
    ['lists', { decontamination: { lists: [], texts: [] } }, 'decontamination by lite is gone'],
    ['nothing but the cut', { tasks: [[], []] }, 'the inputs are cut into tasks otherwise'],
  ])('is named: %s', (_, change, sentence) => {
    expect(planDifference(BODY, { ...BODY, ...change })).toBe(sentence);
  });

  it('is counted beyond six', () => {
    const inputs = Array.from({ length: 9 }, (_, i) => input(`runs/${i}.json`, 'x'));
    expect(planDifference({ ...BODY, inputs: [] }, { ...BODY, inputs })).toMatch(
      /^input runs\/0\.json is new; .*runs\/5\.json is new; and 3 more$/,
    );
  });

  it('is told by a folder that holds another plan', async () => {
    const home = temporaryFolder();
    const out = `${home}/run`;
    const first = await trajmill(['plan', writePipeline(home), '--out', out]);
    expect(first.code, first.stderr).toBe(0);
    const changed = writePipeline(home, (text) => `${text.trimEnd()}\nseed: 7\n`);
    const second = await trajmill(['plan', changed, '--out', out]);
    expect(second.code).not.toBe(0);
    expect(second.stderr).toMatch(
      /holds plan [0-9a-f]{12}, this one is [0-9a-f]{12}: seed was 0, now 7\. Name another folder/,
    );
  });
});

describe('the nearest word', () => {
  const known = ['shard_bytes', 'seed', 'stage', 'stages', 'mix'];
  it.each([
    ['shard_byte', 'shard_bytes'],
    ['Seed', 'seed'],
    ['sede', 'seed'],
    ['stagees', 'stages'],
    ['sttage', 'stage'],
    ['max', 'mix'],
    ['tokenizer', null],
    ['', null],
  ])('to %s is %s', (word, expected) => {
    expect(nearestWord(word, known)).toBe(expected);
  });
});
