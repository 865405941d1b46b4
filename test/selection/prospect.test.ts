import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reaches } from '../../src/grading/medals.js';
import { corpusScoresOf } from '../../src/selection/corpus-scores.js';
import { type SelectionOptionsInput, selectionSchema } from '../../src/selection/options.js';
import { prospectOf, waitsForCorpus } from '../../src/selection/prospect.js';
import { selectPrefixes } from '../../src/selection/select.js';
import { type RunEvent, runOf, taskOf } from '../windows/synthetic-run.js';

const events = fc.array(
  fc.oneof(
    fc.record({
      exec: fc.constant('ok' as const),
      score: fc.integer({ min: 0, max: 10 }).map((i) => i / 10),
    }),
    fc.constantFrom<RunEvent>(
      { exec: 'error' },
      { exec: 'timeout' },
      { exec: 'ok' },
      { exec: 'ok', score: null },
    ),
  ),
  { maxLength: 7 },
);

const rules = fc.subarray(['whole', 'initial', 'best'] as const, { minLength: 1 });

function optionsOf(
  chosen: readonly ('whole' | 'initial' | 'best')[],
  quality: SelectionOptionsInput['quality'],
) {
  const scored = chosen.some((rule) => rule !== 'whole');
  return selectionSchema.parse({
    rules: [...chosen],
    quality: scored ? quality : null,
    degradation: chosen.includes('best') ? { threshold: 0.05 } : null,
  });
}

describe('the prospect of a run', () => {
  it('with a quantile, once the quantile is known, is what selection then does', () => {
    fc.assert(
      fc.property(
        events,
        rules,
        fc.boolean(),
        fc.integer({ min: 0, max: 10 }),
        fc.boolean(),
        (list, chosen, lower, at, ended) => {
          const run = runOf(list, { termination: ended ? 'submitted' : 'step_limit' });
          const task = taskOf({ gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6, is_lower_better: lower });
          const options = optionsOf(chosen, { quantile: 0.5 });
          const score = at / 10;
          const corpus = corpusScoresOf([{ task_id: 'task', scale: 'test', q: 0.5, score, n: 1 }]);
          const kept = selectPrefixes(run, task, options, corpus).prefixes.length > 0;
          const prospect = prospectOf(run, task, options, waitsForCorpus(options, false));
          const told = typeof prospect === 'boolean' ? prospect : reaches(prospect, score, lower);
          expect(told).toBe(kept);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('with a threshold of the task is what selection does', () => {
    fc.assert(
      fc.property(events, rules, (list, chosen) => {
        const options = optionsOf(chosen, 'median');
        const run = runOf(list);
        const kept = selectPrefixes(run, taskOf(), options).prefixes.length > 0;
        expect(prospectOf(run, taskOf(), options, waitsForCorpus(options, false))).toBe(kept);
      }),
    );
  });

  it('waits for a tier that the corpus gives, and is lost without a record', () => {
    const options = optionsOf(['best'], 'bronze');
    expect(waitsForCorpus(options, false)).toBe(false);
    expect(waitsForCorpus(options, true)).toBe(true);
    const run = runOf([
      { exec: 'ok', score: 0.4 },
      { exec: 'ok', score: 0.3 },
    ]);
    expect(prospectOf(run, taskOf(null), options, true)).toBe(0.4);
    expect(prospectOf(run, null, options, true)).toBe(false);
    expect(prospectOf(run, null, optionsOf(['best', 'whole'], { quantile: 0.1 }), true)).toBe(true);
  });
});
