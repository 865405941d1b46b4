import { describe, expect, it } from 'vitest';
import { redactScores } from '../../src/formats/redact-scores.js';
import { RejectError } from '../../src/logs/reject.js';
import { makeTurn } from '../../src/trajectory/build.js';
import { observation, prompt, runOf, text } from '../windows/synthetic-run.js';

const DOJO = `=== Code Execution Results ===
Code output: Raw Score: 0.9
=== Submission Evaluation ===
Private Leaderboard: Position 301 / 462
Public Leaderboard: Position 12 / 462
Raw Score: 0.5563755038419854
Average Position Score: 0.3506
Best Raw Score: -1.5e-07
Best Position Score: 1`;

const SANDMLE =
  '<tool_response>\nSubmission OK. Details: {"score_primary (main competition metric for current code)": 0.71, "metric_lower_is_better (true means lower score is better)": false, "threshold_gold (score needed for gold tier)": 1.0, "submission_path": "/a/1"}\n</tool_response>';

function exposing(format: string, feedback: string, score: number | null = 0.5) {
  const run = runOf([{ exec: 'ok', score }], { feedback_exposes_test_score: true });
  const turns = [...run.turns];
  turns[2] = makeTurn('tool', [observation(feedback)]);
  return { ...run, turns, source: { ...run.source, format } };
}

const shown = (run: ReturnType<typeof exposing>) => run.turns[2]?.spans[0]?.text;

describe('redaction', () => {
  it('takes positions and scores out of the evaluation of MLE-Dojo, and nothing else', () => {
    const run = redactScores(exposing('mle-dojo', DOJO), null);
    expect(shown(run)).toBe(`=== Code Execution Results ===
Code output: Raw Score: 0.9
=== Submission Evaluation ===
Private Leaderboard: Position [redacted] / 462
Public Leaderboard: Position [redacted] / 462
Raw Score: [redacted]
Average Position Score: [redacted]
Best Raw Score: [redacted]
Best Position Score: [redacted]`);
    expect(run.flags).toEqual(['scores_redacted']);
  });

  it('takes score and thresholds out of the details of SandMLE, which stay JSON', () => {
    const text = shown(redactScores(exposing('rllm-episode', SANDMLE), null)) ?? '';
    const details = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as object;
    expect(Object.values(details)).toEqual(['[redacted]', false, '[redacted]', '/a/1']);
    expect(text).not.toContain('0.71');
  });

  it('takes the score of a chat out from under the key of its rule', () => {
    const rule = { key: 'score', scale: 'test' } as const;
    const run = exposing('openai-messages', '{"score": 0.5, "rows": 10}');
    expect(shown(redactScores(run, rule))).toBe('{"score": "[redacted]", "rows": 10}');
    expect(() => redactScores(run, { ...rule, scale: 'validation' })).toThrow(RejectError);
  });

  it('leaves what the model wrote, the prompt, the scores and the identity as they are', () => {
    const before = exposing('mle-dojo', DOJO);
    const said = '=== Submission Evaluation ===\nRaw Score: 0.5';
    const turns = [
      makeTurn('user', [prompt(said)]),
      makeTurn('assistant', [text(said)]),
      ...before.turns.slice(2),
    ];
    const run = redactScores({ ...before, turns }, null);
    expect(run.turns.slice(0, 2)).toEqual(turns.slice(0, 2));
    expect(run.submissions).toEqual(before.submissions);
    expect(run.trajectory_id).toBe(before.trajectory_id);
  });

  it('drops recorded token ids, which would spell the scores', () => {
    const before = exposing('mle-dojo', DOJO);
    const policy = { prompt_ids: null, response_ids: [1], logprobs: null, weight_version: null };
    const turns = before.turns.map((turn, i) => (i === 1 ? { ...turn, policy } : turn));
    const run = redactScores({ ...before, turns }, null);
    expect(run.turns.every((turn) => turn.policy === null)).toBe(true);
    expect(run.flags).toEqual(['scores_redacted', 'policy_dropped_redaction']);
  });

  it.each([
    ['a format whose way is not known', exposing('swe-agent', 'score 0.5'), 'how swe-agent shows'],
    ['a score that is not found', exposing('mle-dojo', 'you scored 0.5'), 'shown in turn 2'],
  ])('rejects %s', (_name, run, message) => {
    expect(() => redactScores(run, null)).toThrow(message);
  });

  it('does nothing to a run that shows none', () => {
    const run = { ...exposing('mle-dojo', DOJO), feedback_exposes_test_score: false };
    expect(redactScores(run, null)).toBe(run);
  });
});
