import { describe, expect, it } from 'vitest';
import { createProgress, formatProgress } from '../../src/cli/progress.js';
import { memoryStream } from './harness.js';

const HALF = {
  pass: 'build',
  tasksDone: 1,
  tasksTotal: 4,
  bytesDone: 50_000_000,
  bytesTotal: 100_000_000,
  trajectories: 1204,
  rejected: 2,
  tokens: 9,
  startedAt: 0,
} as const;

describe('a line of progress', () => {
  it('has share, rate, time left, counts', () => {
    expect(formatProgress(HALF, 10_000)).toBe(
      'building  50%  5.0 MB/s  10.0 s left  1,204 trajectories  2 rejected  tasks 1/4',
    );
  });

  it('names what is done, also where a task is built while it is read', () => {
    const named = (change: object) => formatProgress({ ...HALF, ...change }, 10_000).split(' ')[0];
    expect(named({ pass: 'survey', tokens: 0 })).toBe('reading');
    expect(named({ pass: 'survey', tokens: 9 })).toBe('building');
    expect(named({ pass: 'build', tokens: 0 })).toBe('building');
  });

  it('foretells nothing at the start, and an empty run is whole', () => {
    expect(formatProgress({ ...HALF, bytesDone: 1000 }, 10_000)).not.toContain('left');
    expect(formatProgress({ ...HALF, bytesDone: 0, bytesTotal: 0 }, 0)).toContain('100%');
  });
});

describe('the renderer', () => {
  function renderWith(options: { terminal: boolean; json: boolean }) {
    let time = 0;
    const stream = memoryStream(options.terminal);
    const renderer = createProgress({ stream, json: options.json, now: () => time });
    for (time = 0; time <= 25_000; time += 50) renderer.update(HALF);
    renderer.done();
    return stream.text();
  }

  it('redraws one line on a terminal, no wider than it, and clears it', () => {
    const text = renderWith({ terminal: true, json: false });
    expect(text).not.toContain('\n');
    expect(text.endsWith('\r\u001b[2K')).toBe(true);
    for (const line of text.split('\r\u001b[2K')) expect(line.length).toBeLessThan(80);
  });

  it('writes a line every ten seconds elsewhere', () => {
    expect(renderWith({ terminal: false, json: false }).trim().split('\n')).toHaveLength(2);
  });

  it('writes JSON lines where the output is for machines', () => {
    const lines = renderWith({ terminal: false, json: true }).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { pass: 'build', bytesDone: 50_000_000, seconds: 10 },
      { seconds: 20 },
    ]);
  });
});
