import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FormatAdapter, Sniff } from '../../src/formats/adapter.js';
import { detect } from '../../src/formats/detect.js';
import { FORMATS, formatNamed } from '../../src/formats/registry.js';
import { diskSiblings, recordSiblings } from '../../src/formats/siblings.js';
import { sniffFile } from '../../src/formats/sniff.js';
import { discover } from '../../src/logs/discover.js';
import { DEFAULT_LIMITS } from '../../src/logs/limits.js';
import { RejectError } from '../../src/logs/reject.js';
import { describeWithShared, sharedFile } from '../shared.js';

const sniff = (rest: Partial<Sniff>): Sniff => ({
  path: 'log',
  head: '',
  json: undefined,
  lines: [],
  siblings: { names: [], readText: () => null },
  ...rest,
});

const adapter = (name: string, confidence: 'certain' | 'likely' | null): FormatAdapter => ({
  name,
  version: '1',
  unit: 'document',
  notes: {
    title: '',
    recognised_by: '',
    scores: '',
    executions: '',
    reasoning: '',
    token_ids: '',
    logprobs: '',
    loss: [],
  },
  experiments: { experiment: [], scoring: [] },
  detect: () => (confidence === null ? null : { confidence, reason: name }),
  read: () => [],
});

const winner = (...formats: FormatAdapter[]) => {
  const verdict = detect(sniff({ json: {} }), { formats });
  return verdict.adapter === null ? verdict.code : verdict.adapter.name;
};

describe('a verdict', () => {
  it('prefers the certain over the likely, then the order', () => {
    expect(winner(adapter('a', 'likely'), adapter('b', 'certain'), adapter('c', 'certain'))).toBe('b');
    expect(winner(adapter('a', null), adapter('b', 'likely'), adapter('c', 'likely'))).toBe('b');
    expect(winner(adapter('a', null))).toBe('unknown_format');
  });

  it('names a known kind before it believes a likely adapter', () => {
    const json = { is_resolved: true, parser_results: {}, messages: [{ role: 'user', content: 'x' }] };
    const verdict = detect(sniff({ json }));
    expect(verdict).toMatchObject({ adapter: null, code: 'not_a_trajectory' });
    expect(verdict.adapter === null && verdict.message).toContain('Terminal-Bench');
  });

  it.each([
    ['Claude Code', { type: 'result', subtype: 'success', result: 'x', session_id: 's', num_turns: 1 }],
    ['Gemini CLI', { session_id: 's', response: 'x', stats: { models: {}, tools: {} } }],
    ['opencode export', { id: 'ses_1', projectID: 'p', directory: '/', time: {} }],
    ['opencode export', { id: 'msg_1', sessionID: 'ses_1', role: 'assistant', time: {} }],
    ['opencode export', { id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', type: 'text', text: 'x' }],
  ])('names what %s leaves beside its logs', (named, json) => {
    const verdict = detect(sniff({ json }));
    expect(verdict).toMatchObject({ adapter: null, code: 'not_a_trajectory' });
    expect(verdict.adapter === null && verdict.message).toContain(named);
  });

  it('asks one adapter alone where the format is given', () => {
    const only = formatNamed('openai-messages');
    const json = { session_id: 's', platform: 'p', messages: [{ role: 'user', content: 'x' }] };
    expect(detect(sniff({ json }), { only }).adapter?.name).toBe('openai-messages');
    expect(detect(sniff({ json: { nodes: [], node2parent: {} } }), { only })).toMatchObject({
      code: 'unknown_format',
      message: 'not recognised as openai-messages',
    });
  });

  it('takes the unit from the detection where it gives one', () => {
    const rows = [{ messages: [{ role: 'user', content: 'x' }] }];
    expect(detect(sniff({ lines: rows }))).toMatchObject({ unit: 'line' });
    expect(detect(sniff({ json: rows[0] }))).toMatchObject({ unit: 'document' });
  });
});

describe('reports and tables', () => {
  it.each([
    [{ competition_reports: [] }, 'mlebench-report'],
    [{ competition_id: 'c', valid_submission: true }, 'mlebench-report'],
    [{ instance_1: { resolved: true, tests_status: {} } }, 'swebench-report'],
    [{ resolved: true, tests_status: {} }, 'swebench-report'],
    [{ dataset: { means: { acc_mean: 1 } } }, 'ai-scientist-v1'],
    [{ agent: [], baseline: {} }, 'mlgym'],
    [{ submitted: 1, output_match: 1, entrypoint: 1 }, 'super-notebook'],
  ])('belong to the format of their runs: %j', (json, name) => {
    expect(detect(sniff({ json })).adapter?.name).toBe(name);
  });

  it.each([
    [{ nbformat: 4, cells: [] }],
    [{ edges: [], layout: [], plan: [], code: [], analysis: [] }],
    [{ 'gpt-4o': { tokens: {}, 'cost (USD)': 1 } }],
  ])('hold no trajectory: %j', (json) => {
    expect(detect(sniff({ json }))).toMatchObject({ adapter: null, code: 'not_a_trajectory' });
  });

  it.each([
    [{ input: 'user\nAdd.\nassistant\n', output: '2', gts: '2', score: 1, step: 3 }, 'rollout dump of verl'],
    [
      { input_prompt: 'Add.', output_response: '2', score: [0, 1], env_class: 'sums' },
      'evaluation dump of SkyRL',
    ],
  ])('hold texts in which nothing tells who wrote what, by name: %j', (line, title) => {
    const verdict = detect(sniff({ lines: [line] }));
    expect(verdict).toMatchObject({ adapter: null, code: 'not_a_trajectory' });
    expect(JSON.stringify(verdict)).toContain(title);
  });

  it('are told from text by their header', () => {
    const table = sniff({ head: 'commit\taccuracy\tstatus\tdescription\nabc\t0\tkeep\tx\n' });
    expect(detect(table).adapter?.name).toBe('autoresearch-tsv');
    expect(detect(sniff({ head: 'commit\tstatus\n' }))).toMatchObject({ code: 'unknown_format' });
  });

  it('do not take an empty object for anything', () => {
    for (const json of [{}, [], null, 1, 'text', [[]], [null]]) {
      expect(detect(sniff({ json }))).toMatchObject({
        code: 'unknown_format',
        message: 'no format recognises the content',
      });
    }
  });
});

describeWithShared('the real logs', () => {
  it('are claimed with certainty by one format at most', async () => {
    const { root, files } = await discover({ globs: [sharedFile('logs')] });
    let claimed = 0;
    for (const { path } of files) {
      const siblings = recordSiblings(diskSiblings(root, path), path);
      try {
        const found = await sniffFile({
          absolute: sharedFile(`logs/${path}`),
          path,
          siblings,
          limits: DEFAULT_LIMITS,
        });
        const certain = FORMATS.filter((format) => format.detect(found.sniff)?.confidence === 'certain');
        expect([path, certain.map((format) => format.name)]).toEqual([
          path,
          certain.slice(0, 1).map((format) => format.name),
        ]);
        claimed += certain.length;
      } catch (error) {
        if (!(error instanceof RejectError)) throw error;
      }
    }
    expect(claimed).toBeGreaterThan(10);
  });

  it('are told by content: every one keeps its verdict under another name', async () => {
    const { root, files } = await discover({
      globs: [sharedFile('logs')],
      ignore: ['*.source.txt', 'mle_dojo/**'],
    });
    for (const { path } of files) {
      const absolute = `${root}/${path}`;
      const alone = { names: [], readText: () => null };
      try {
        const own = await sniffFile({ absolute, path, siblings: alone, limits: DEFAULT_LIMITS });
        const other = await sniffFile({
          absolute,
          path: 'x/results',
          siblings: alone,
          limits: DEFAULT_LIMITS,
        });
        expect(detect(other.sniff)).toEqual(detect(own.sniff));
      } catch (error) {
        if (!(error instanceof RejectError)) throw error;
      }
    }
  });

  it('of the pair of MLE-Dojo are told from any chat', () => {
    const json: unknown = JSON.parse(
      readFileSync(sharedFile('logs/mle_dojo/random-acts-of-pizza_agent_trajectory.json'), 'utf8'),
    );
    expect(detect(sniff({ json })).adapter?.name).toBe('mle-dojo');
    const plain = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'y' },
    ];
    expect(detect(sniff({ json: plain })).adapter?.name).toBe('openai-messages');
    const history = JSON.stringify({ competition: 'c', actions: [] });
    const siblings = { names: ['env_history.json'], readText: () => history };
    expect(detect(sniff({ path: 'd/agent_trajectory.json', json: plain, siblings })).adapter?.name).toBe(
      'mle-dojo',
    );
  });
});
