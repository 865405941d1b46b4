import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerOf, comparable, type SemanticsAnswer, semanticsCases } from './semantics-cases.js';

const script = fileURLToPath(new URL('semantics_reference.py', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import json']).status === 0;
if (!hasPython) console.warn('skipped without python3: the second implementation of rewards and selection');

describe.skipIf(!hasPython)('a second implementation, in Python', () => {
  it('gives every outcome, trend, reward and anchor of 10,000 runs as this one does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trajmill-semantics-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cases = semanticsCases(20_260_101, 10_000);
    const path = join(folder, 'cases.json');
    writeFileSync(path, JSON.stringify(cases));
    const printed = execFileSync('python3', [script, path], { encoding: 'utf8', maxBuffer: 2 ** 28 });
    const theirs = (JSON.parse(printed) as SemanticsAnswer[]).map(comparable);
    const ours = cases.map((one) => comparable(answerOf(one)));

    const different = cases.flatMap((input, i) =>
      JSON.stringify(ours[i]) === JSON.stringify(theirs[i])
        ? []
        : [{ input, ours: ours[i], theirs: theirs[i] }],
    );
    expect(different.slice(0, 3)).toEqual([]);

    // the cases reach everything that is compared
    const windows = ours.flatMap((answer) => answer.windows);
    const outcomes = new Set(windows.map(({ outcome }) => outcome));
    expect(outcomes.size).toBe(8);
    expect(new Set(windows.map(({ reward }) => reward)).size).toBe(11);
    expect(ours.filter(({ initial }) => initial !== null).length).toBeGreaterThan(1_000);
    expect(ours.filter(({ best }) => best !== null).length).toBeGreaterThan(1_000);
  });
});
