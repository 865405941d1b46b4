import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fromMessages } from '../../src/chat/messages.js';
import { turnsOfRow } from '../../src/report/view/turn-list.js';
import type { SftRow } from '../../src/tables/table-specs.js';
import { turnContent } from '../../src/trajectory/build.js';
import { onlyTrajectory, readAll } from '../formats/read-all.js';
import { duckRows } from '../tables/duck.js';
import { fingerprint, temporaryFolder, trajmill } from './child-run.js';

const home = temporaryFolder();
const logs = join(home, 'logs');

/** Nodes of a search in which less is better; node i scores .5 - i / 100, number 3 failed. */
const nodes = (extra: (step: number) => object) =>
  Array.from({ length: 6 }, (_, step) => ({
    step,
    id: `n${step}`,
    code: `print("model ${step}")`,
    plan: `Plan ${step}.`,
    ctime: 1_750_000_000 + step,
    _term_out: [`output of ${step}\n`],
    exec_time: 1,
    exc_type: step === 3 ? 'ValueError' : null,
    metric: { value: step === 3 ? null : 0.5 - step / 100, maximize: false },
    is_buggy: step === 3,
    ...extra(step),
  }));

/** The last node comes from 4, that from 1, that from 0. */
const PARENTS = { n1: 'n0', n2: 'n0', n3: 'n2', n4: 'n1', n5: 'n4' };
const STEPS = [[], [0], [0], [2], [1], [4]];

/** The same tree as aira-dojo writes it, where each node has prompts of its own. */
const withPrompts = nodes((step) => ({
  metric: step === 3 ? null : 0.5 - step / 100,
  metric_maximize: false,
  parents: STEPS[step],
  exit_code: step === 3 ? 1 : 0,
  operators_used: ['improve'],
  operators_metrics: [
    {
      prompt_messages: [{ role: 'user', content: `Prompt ${step}` }],
      completion_text: `Plan ${step}.\n\n\`\`\`python\nprint("model ${step}")\n\`\`\``,
    },
  ],
}));

const LOGS = {
  'tree/journal.json': { nodes: nodes(() => ({})), node2parent: PARENTS },
  'lacking/journal.json': {
    nodes: nodes((step) => ({ code: `print("lacking ${step}")` })),
    node2parent: { ...PARENTS, n1: 'gone' },
  },
  'list/nodes.json': nodes((step) => ({ code: `print("list ${step}")` })),
  'prompts/x_search_data.json': { nodes: withPrompts, solution: '', config: {} },
};

const TASK = {
  task_id: 'house',
  aliases: [],
  family: 'house',
  origin: 'synthetic',
  metric: 'rmsle',
  is_lower_better: true,
  thresholds: { gold: 0.1, silver: 0.2, bronze: 0.3, median: 0.6 },
};

function pipeline(prefixes: string): string {
  const path = join(home, `${prefixes}.yaml`);
  const text = `version: 1
inputs: [{ globs: ['logs/**/*.json'] }]
shard_bytes: 1000
tasks: { files: [tasks.json], mapping: { tree: house, lacking: house, list: house, prompts: house } }
selection:
  rules: [whole, initial, best]
  quality: { score: 0.5 }
  degradation: { threshold: 1, unit: absolute }
  score_scale: self_reported
  prefixes: ${prefixes}
decontamination: none
`;
  writeFileSync(path, text);
  return path;
}

const rowsIn = async (out: string): Promise<SftRow[]> =>
  (await duckRows(
    `select * from '${out}/corpus/data/sft/*.parquet' where list_contains(rules, 'best') order by source_path, row_id`,
  )) as unknown as SftRow[];

const out = join(home, 'lineage');

beforeAll(async () => {
  for (const [path, log] of Object.entries(LOGS)) {
    mkdirSync(join(logs, path, '..'), { recursive: true });
    writeFileSync(join(logs, path), JSON.stringify(log));
  }
  writeFileSync(join(home, 'tasks.json'), JSON.stringify([TASK]));
  for (const prefixes of ['lineage', 'chronological']) {
    const run = await trajmill(['run', pipeline(prefixes), '--out', join(home, prefixes), '--workers', '1']);
    expect(run.code, run.stderr).toBe(0);
  }
});

describe('prefixes along the lineage of search nodes', () => {
  it('hold the nodes on the path alone, and say how much of the search is left out', async () => {
    const [row] = (await rowsIn(out)).filter((each) => each.source_path === 'tree/journal.json');
    expect(row).toMatchObject({
      prefix: 'lineage',
      anchor_turn: 11,
      n_turns: 8,
      cut_turns: 0,
      off_path_turns: 4,
    });
    const { turns, trained } = fromMessages(String(row?.messages));
    const words = turns.map((turn) => /\d/.exec(turnContent(turn))?.[0]);
    expect(words).toEqual(['0', '0', '1', '1', '4', '4', '5', '5']);
    expect([...trained]).toEqual([0, 2, 4, 6]);
    const [whole] = (await rowsIn(join(home, 'chronological'))).filter(
      (each) => each.source_path === 'tree/journal.json',
    );
    expect(whole).toMatchObject({
      prefix: 'chronological',
      n_turns: 12,
      off_path_turns: 0,
      off_path_tokens: 0,
    });
    const [initial] = (await duckRows(
      `select * from '${out}/corpus/data/sft/*.parquet'
       where source_path = 'tree/journal.json' and list_contains(rules, 'initial')`,
    )) as unknown as SftRow[];
    expect(initial).toMatchObject({ n_turns: 2, cut_turns: 10, off_path_turns: 0 });
    expect(Number(initial?.n_tokens) + Number(initial?.cut_tokens)).toBe(Number(whole?.n_tokens));
    // the joints of the turns cost nothing in this template
    expect(Number(row?.n_tokens) + Number(row?.off_path_tokens)).toBe(Number(whole?.n_tokens));
  });

  it('leave out contexts that trained nodes off the path', async () => {
    const rows = (await rowsIn(out)).filter((each) => each.source_path.startsWith('prompts/'));
    expect(rows.map((row) => [row.epoch, row.off_path_turns, row.prefix]).sort()).toEqual([
      [0, 6, 'lineage'],
      [1, 6, 'lineage'],
      [4, 6, 'lineage'],
      [5, 6, 'lineage'],
    ]);
    expect(rows.map((row) => Number(/Prompt (\d)/.exec(String(row.messages))?.[1])).sort()).toEqual([
      0, 1, 4, 5,
    ]);
  });

  it.each(['lacking/journal.json', 'list/nodes.json'])(
    'are chronological and flagged where the log does not tell the path: %s',
    async (path) => {
      const [row] = (await rowsIn(out)).filter((each) => each.source_path === path);
      expect(row).toMatchObject({ prefix: 'chronological', n_turns: 12, off_path_turns: 0 });
      expect(row?.flags).toContain('lineage_unknown');
    },
  );

  it('are found again in their log turn by turn, as the page of a trajectory shows them', async () => {
    const [row] = (await rowsIn(out)).filter((each) => each.source_path === 'tree/journal.json');
    if (row === undefined) throw new Error('no row');
    const trajectory = onlyTrajectory(await readAll({ root: logs, path: 'tree/journal.json' }));
    const { turns } = fromMessages(String(row.messages));
    expect(turnsOfRow(row, turns, trajectory)).toEqual([0, 1, 2, 3, 8, 9, 10, 11]);
  });

  it('hold when they are verified, and are the same with any number of workers', async () => {
    const verified = await trajmill(['verify', out]);
    expect(verified.code, verified.stdout).toBe(0);
    const other = join(home, 'three');
    const run = await trajmill(['run', pipeline('lineage'), '--out', other, '--workers', '3']);
    expect(run.code, run.stderr).toBe(0);
    expect(fingerprint(other)).toEqual(fingerprint(out));
    expect(fingerprint(other)).not.toEqual(fingerprint(join(home, 'chronological')));
  });

  it('are told by explain and by the summary', async () => {
    const told = await trajmill(['explain', out, 'tree/journal.json']);
    expect(told.stdout).toMatch(
      /best .*0 turns and 0 tokens cut, 4 turns and \d+ tokens off the path left out/,
    );
    const status = await trajmill(['run', pipeline('lineage'), '--out', join(home, 'again')]);
    expect(status.stdout + status.stderr).toMatch(/off the path: 10 turns, \d+ tokens/);
  });

  it('are refused with one line where the option is misspelt', async () => {
    const run = await trajmill(['run', pipeline('linage'), '--out', join(home, 'none')]);
    expect(run.code).toBe(2);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(run.stderr).toContain('selection.prefixes: must be one of "chronological", "lineage"');
  });
});
