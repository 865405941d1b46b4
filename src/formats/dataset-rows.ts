import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { shapeOf } from './dataset-row-shapes.js';
import { objectOf, wrongType } from './fields.js';
import { detectRows, readRows } from './row-lists.js';

export const datasetRows: FormatAdapter = {
  name: 'dataset-rows',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Rows of agent data sets: nebius SWE-agent, SWE-rebench OpenHands and Open-SWE-Traces, SWE-Gym OpenHands, SWE-smith, CodeActInstruct, Toucan',
    recognised_by: 'lines, or a list, of rows with the keys of one of these data sets',
    scores: 'none; `resolved` of the row and of its report, which must agree',
    executions: 'only where the pipeline names tools or command patterns; status from the feedback',
    reasoning: 'think tags in the text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'patches, evaluation logs, test output and per-test results',
      'judgements of questions and answers by other models, and keys that a row has beside its chat',
      'a mask on text that no model wrote; of replies it becomes the weight',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return detectRows(sniff, (row) => shapeOf(row) !== null, {
    confidence: 'certain',
    reason: 'rows with the keys of a known data set',
  });
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  return readRows(input, context, (value, path) => {
    const row = objectOf(value, path);
    const shape = shapeOf(row);
    if (shape === null) throw wrongType(path, 'a row of a known data set', value);
    return [shape.read(row, context)];
  });
}
