import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
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
    ['a wrong type', VALID.replace('version: 1', 'version: 2'), 'p.yaml:1:1', 'must be one of 1'],
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

  it('names every fault of a file, one line each', () => {
    const lines = fault(`${VALID.replace('median', 'good')}colour: red\n`).message.split('\n');
    expect(lines).toHaveLength(2);
  });
});
