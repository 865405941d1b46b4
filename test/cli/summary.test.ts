import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/pipeline/run-summary.js';
import { formatSummary } from '../../src/report/summary.js';
import { formatBytes, formatDuration } from '../../src/report/units.js';

const SUMMARY: RunSummary = {
  read: 12,
  kept: 5,
  filtered: 4,
  rejected: 2,
  duplicates: 1,
  sidecars: 3,
  kept_by_rule: { best: 3, initial: 4 },
  filtered_by_reason: { no_submission: 4 },
  rejected_by_code: { unknown_format: 2 },
  duplicates_by_reason: { equal_turns: 1 },
  by_format: { 'mle-dojo': 12 },
  by_task: { unknown: 12 },
  rows: { sft: 7, rl: 0 },
  splits: { train: 7 },
  strategies: { split: 7 },
  tokens: 1000,
  trained_tokens: 250,
  straddled_tokens: 2,
  repeated_replies: 0,
  turns_cut: 14,
  tokens_cut: 5120,
  turns_off_path: 0,
  tokens_off_path: 0,
  ids_differ_because: { special_text: 1 },
  over_long: {},
  proofs: { lengths: 7 },
  decontamination: [],
  windows_by_outcome: { gold: 1, error: 3 },
  reward_histogram: { '-1': 3, '2': 1 },
  windows_by_trend: { rose: 1 },
  flags: {},
  secrets_by_kind: { 'aws-key-id': 2 },
  plan_id: 'f'.repeat(64),
  out_dir: 'out/demo',
  files: [{ path: 'corpus/data/sft/train-00000-of-00001.parquet', rows: 7, bytes: 34_100 }],
  seconds: 4.2,
};

describe('the summary of a run', () => {
  it('reads as one page', () => {
    expect(formatSummary(SUMMARY, { color: false })).toMatchSnapshot();
  });

  it('shows all ten rewards, also those that no window got', () => {
    const text = formatSummary(SUMMARY, { color: false });
    const shown = [...text.matchAll(/ (-?\d\.\d) {2}(?:█+ )?\d+$/gm)].map((match) => Number(match[1]));
    expect(shown).toEqual([-1, -0.6, -0.4, -0.2, 0.8, 1, 1.2, 1.8, 2, 2.2]);
  });

  it('has colours only when asked', () => {
    expect(formatSummary(SUMMARY, { color: false })).not.toContain('\u001b');
    expect(formatSummary(SUMMARY, { color: true })).toContain('\u001b[1m');
  });
});

describe('units', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [34_149, '34.1 kB'],
    [999_600, '1.0 MB'],
    [123_456_789_012, '123 GB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it.each([
    [0.04, '0.0 s'],
    [59.9, '59.9 s'],
    [59.97, '1 min 00 s'],
    [185, '3 min 05 s'],
    [7620, '2 h 07 min'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });
});
