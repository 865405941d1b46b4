import { expect, it } from 'vitest';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyReject, onlyTrajectory, readFiles, trajectoriesOf } from './read-all.js';

const INDENT = ' '.repeat(28);
const failed = (error: string) => `=== Code Execution Results ===\n${INDENT}Execution failed: ${error}`;
const ran = (evaluation: string) =>
  `=== Code Execution Results ===\n${INDENT}Execution successful\nCode execution time: 12.50s\n` +
  `Code output: Raw Score: 0.99\n\n${INDENT}=== Submission Evaluation ===\n${INDENT}${evaluation}`;
const scored = (score: number, place: number) =>
  ran(
    `Submission successful\n${INDENT}Private Leaderboard: Position ${place} / 462\n` +
      `Public Leaderboard: Position ${place} / 462\n${INDENT}Raw Score: ${score}\nBest Raw Score: ${score}`,
  );
const refused = (type: string) => ran(`Submission error (${type}): no`);
const TRACEBACK =
  'Traceback (most recent call last):\n  File "/tmp/a.py", line 3, in <module>\nKeyError: 1\n';
const LIMIT = 'Execution failed: Process execution timed out after 600s';

/** A node as the agent writes it: raw_score is that of the environment, also where this node handed nothing in. */
const node = (step: number, text: string, rest: Record<string, unknown> = {}) => ({
  code: `print(${step})`,
  plan: `Plan ${step}.`,
  step,
  id: `n${step}`,
  ctime: 1_750_000_000 + step,
  parent: null,
  children: [],
  instruction_prompt: `# Introduction\n\nTask ${step}`,
  node_type: 'draft',
  assistant: `Plan ${step}.\n\n\`\`\`python\nprint( ${step} )\n\`\`\``,
  status: 'FAILED',
  feedback: { base: { feedback_status: 'SUCCESS', feedback: text } },
  raw_score: 0.55,
  position_score: 0.35,
  analysis: '',
  metric: { value: 0, maximize: null },
  is_buggy: true,
  ...rest,
});
const good = (step: number, score: number, place: number) =>
  node(step, scored(score, place), {
    status: 'SUCCESS',
    raw_score: score,
    is_buggy: false,
    metric: { value: (462 - place + 1) / 462, maximize: true },
  });
const NODES = [
  node(0, failed(TRACEBACK), { raw_score: 0, position_score: 0 }),
  good(1, 0.55, 301),
  node(2, refused('SubmissionNotFoundError')),
  node(3, failed(LIMIT)),
  node(4, refused('InvalidSubmissionError')),
  node(5, refused('LeaderboardError')),
  good(6, 0.65, 150),
];
const PARENTS = { n1: 'n0', n2: 'n1', n6: 'n1' };
const journal = (nodes: unknown, node2parent: unknown = PARENTS) => ({ nodes, node2parent, __version: '2' });
const read = async (nodes: unknown) => onlyTrajectory(await readFiles({ 'journal.json': journal(nodes) }));

it('has what each model call was shown, what it wrote and what the environment answered', async () => {
  const run = await read(NODES);
  expect(run.source.format).toBe('mle-dojo-aide');
  expect(run.turns.slice(3, 6).map((turn) => [turn.role, turnContent(turn)])).toEqual([
    ['system', '# Introduction\n\nTask 1'],
    ['assistant', NODES[1]?.assistant],
    ['tool', scored(0.55, 301)],
  ]);
  expect(run.turns[4]?.spans.map(({ kind, origin }) => `${origin} ${kind}`)).toEqual([
    'model text',
    'model tool_call',
  ]);
  expect(run.epochs.map(({ turns }) => turns)).toEqual(
    NODES.map((_, order) => [0, 1, 2].map((at) => 3 * order + at)),
  );
  expect(run.flags).toEqual(['tree_search']);
});

it('tells what became of each program by the feedback, not by the verdict that all failures share', async () => {
  const run = await read(NODES);
  expect(
    run.executions.map(({ call_turn, feedback_turn }) => [
      run.turns[call_turn]?.role,
      run.turns[feedback_turn ?? -1]?.role,
    ]),
  ).toEqual(run.executions.map(() => ['assistant', 'tool']));
  expect(
    run.executions.map(({ status, error_type, seconds, parent_execution }) => [
      status,
      error_type,
      seconds,
      parent_execution,
    ]),
  ).toEqual([
    ['error', 'KeyError', null, null],
    ['ok', null, 12.5, 'n0'],
    ['ok', null, 12.5, 'n1'],
    ['timeout', null, null, null],
    ['ok', null, 12.5, null],
    ['infrastructure', 'LeaderboardError', 12.5, null],
    ['ok', null, 12.5, 'n1'],
  ]);
});

it('has test scores of the nodes that handed something in, and never the one left over from an earlier node', async () => {
  const run = await read(NODES);
  expect(
    run.submissions.map(({ execution_id, score, gradable, scale }) => [execution_id, score, gradable, scale]),
  ).toEqual([
    ['n1', 0.55, true, 'test'],
    ['n4', null, false, 'test'],
    ['n6', 0.65, true, 'test'],
  ]);
  expect(run.submissions[0]?.flags).toEqual(['rank:private:301/462', 'rank:public:301/462']);
  expect(run.feedback_exposes_test_score).toBe(true);
  expect(run.task_claims).toBeNull();
});

it('doubts a score that the feedback tells otherwise, and puts together a reply that is not logged', async () => {
  const run = await read([{ ...good(0, 0.5, 3), raw_score: 0.6, assistant: null, instruction_prompt: null }]);
  expect(run.submissions).toMatchObject([{ score: 0.6 }]);
  expect(run.flags).toEqual(['tree_search', 'prompts_absent', 'text_rebuilt', 'results_differ']);
  expect(run.turns.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  const nan = await read([{ ...good(0, 0.5, 3), raw_score: null, feedback: null }]);
  expect(nan.submissions).toMatchObject([{ score: null, gradable: false }]);
  expect(nan.executions[0]?.status).toBe('unknown');
});

it('keeps two searches apart and refuses what holds none', async () => {
  const other = NODES.map((one) => ({ ...one, id: `other-${one.id}` }));
  const runs = trajectoriesOf(await readFiles({ 'journal.json': journal([...NODES, ...other]) }));
  expect(runs.map(({ executions }) => executions.length)).toEqual([7, 7]);
  expect(onlyReject(await readFiles({ 'journal.json': journal([...NODES, 3]) })).code).toBe('bad_shape');
});

it('leaves the journal of AIDE itself to its own reader', async () => {
  const { instruction_prompt: _prompt, position_score: _position, ...plain } = good(0, 0.5, 3);
  expect((await read([plain])).source.format).toBe('aide-journal');
});
