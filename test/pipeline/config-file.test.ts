import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { DEFAULT_LIMITS } from '../../src/logs/limits.js';
import { readLimits } from '../../src/pipeline/config.js';
import { parsePipeline } from '../../src/pipeline/config-file.js';

const VALID = `version: 1
inputs:
  - globs: ['logs/**']
selection:
  rules: [best]
  quality: median
  degradation:
    threshold: 0.05
`;

function fault(text: string): TrajmillError {
  try {
    parsePipeline(text, 'p.yaml');
  } catch (error) {
    if (error instanceof TrajmillError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('a pipeline file', () => {
  it('fills in documented defaults', () => {
    const config = parsePipeline(VALID, 'p.yaml');
    expect(config.tokenizer).toBe('qwen3');
    expect(config.strategy).toBe('split');
    expect(config.mask.policy).toBe('sampled');
    expect(config.secrets).toBe('mask');
    expect(readLimits(config)).toEqual({
      document_bytes: DEFAULT_LIMITS.document_bytes,
      line_bytes: DEFAULT_LIMITS.line_bytes,
    });
    expect(config.tables).toEqual(['sft', 'rl', 'windows', 'executions', 'trajectories']);
  });

  it.each([
    ['an unknown key', `${VALID}colour: red\n`, 'p.yaml:9:1', "unknown key 'colour'"],
    [
      'a value outside its list',
      VALID.replace('[best]', '[finest]'),
      'p.yaml:5:11',
      '"whole", "initial", "best"',
    ],
    ['a wrong type', VALID.replace('version: 1', 'version: 2'), 'p.yaml:1:1', 'must be 1; it is 2'],
    ['an empty file', '', 'p.yaml: version:', 'is missing; it must be 1'],
    [
      'a text for a number',
      VALID.replace('version: 1', 'version: "1"'),
      'p.yaml:1:1',
      'must be 1; it is "1"',
    ],
    [
      'an unknown nested key',
      VALID.replace('threshold:', 'treshold:'),
      'p.yaml:8:5',
      "unknown key 'treshold'",
    ],
    [
      'a missing choice',
      VALID.replace('  quality: median\n', ''),
      'p.yaml:4:1',
      'median, bronze, silver, gold',
    ],
    [
      'a broken pattern',
      `${VALID}tasks: { path_patterns: ['(?<task>x'] }\n`,
      'p.yaml:9:',
      'not a regular expression',
    ],
    ['a pattern without its group', `${VALID}tasks: { path_patterns: ['x'] }\n`, 'p.yaml:9:', '(?<task>...)'],
    ['a share above all', `${VALID}limits: { max_rejected: '200%' }\n`, 'p.yaml:9:', 'at most 100%'],
    ['broken YAML', `${VALID}a: [1\n`, 'p.yaml:', ''],
  ])('refuses %s with its place and what is allowed', (_name, text, place, message) => {
    const error = fault(text);
    expect(error.code).toBe('E_CONFIG');
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(place);
    expect(error.message).toContain(message);
  });

  const withSelection = (quality: string): string => VALID.replace('median', quality);
  const KEYS =
    /^p\.yaml:9:1: unknown key 'shard_byte': did you mean shard_bytes\? allowed: version, inputs, .*, limits$/;

  it.each([
    ['a misspelt key', `${VALID}shard_byte: 3\n`, KEYS],
    [
      'a misspelt key within',
      `${VALID}mask: { polcy: trl }\n`,
      /mask: unknown key 'polcy': did you mean policy\? allowed: policy, kinds, .*boundary$/,
    ],
    ['a key like no other', `${VALID}colour: red\n`, /unknown key 'colour'; allowed: version,/],
    [
      'a text of no alternative',
      withSelection('godl'),
      'selection.quality: must be median, bronze, silver, gold, {score}, {quantile} or null; it is "godl": did you mean gold?',
    ],
    [
      'a mapping of no alternative',
      withSelection('{ scor: 1 }'),
      /must be median, .* or null; it is \{"scor":1\}: did you mean score\?$/,
    ],
    ['a number of no alternative', withSelection('0.5'), /must be median, .* or null; it is 0\.5$/],
    [
      'a value of the alternative that was meant',
      withSelection('{ quantile: 2 }'),
      'p.yaml:6:14: selection.quality.quantile: must be a number from 0 to 1; it is 2',
    ],
    [
      'a key that the alternative lacks',
      `${VALID}tasks: { thresholds: { x: { quantiles: { gold: 1, silver: 1, bronze: 1 } } } }\n`,
      'tasks.thresholds.x.quantiles.median: is missing; it must be a number from 0 to 1',
    ],
    ['a misspelt choice', `${VALID}strategy: splitt\n`, '"reject": did you mean split?'],
    ['a wrong type', `${VALID}seed: x\n`, 'seed: must be a whole number; it is "x"'],
    [
      'a number out of range',
      `${VALID}row_groups: { max_rows: 0 }\n`,
      'must be a whole number from 1; it is 0',
    ],
    ['an empty list', `${VALID}tables: []\n`, 'must be a list that is not empty of: sft, rl,'],
    ['a table that is named twice', `${VALID}tables: [rl, windows, rl]\n`, 'tables: a table stands twice'],
    ['a day', `${VALID}template_date: 2026\n`, 'must be a date such as 2026-01-31 or null; it is 2026'],
    ['a list in a mapping', `${VALID}caps: [1]\n`, 'must be {task, source, stage, survive}; it is [1]'],
  ])('says in words what is allowed in the place of %s', (_, text, expected) => {
    const { message } = fault(text);
    if (typeof expected === 'string') expect(message).toContain(expected);
    else expect(message).toMatch(expected);
    expect(message).not.toMatch(/Invalid input|expected |Unrecognized/);
  });

  it('names each of several unknown keys at its own place', () => {
    const lines = fault(`${VALID}colour: red\nsede: 1\n`).message.split('\n');
    expect(lines.map((line) => /^p\.yaml:(\d+).*unknown key '(\w+)'/.exec(line)?.slice(1))).toEqual([
      ['9', 'colour'],
      ['10', 'sede'],
    ]);
    expect(lines[1]).toContain('did you mean seed?');
  });

  it('names every fault of a file, one line each', () => {
    const lines = fault(`${VALID.replace('median', 'good')}colour: red\n`).message.split('\n');
    expect(lines).toHaveLength(2);
  });
});
