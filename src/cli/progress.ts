import type { Progress } from '../pipeline/task-message.js';
import { formatBytes, formatCount, formatCounted, formatDuration } from '../report/units.js';
import type { CliStream } from './context.js';

/** How often a line is written: to redraw on a terminal, and as a sign of life elsewhere. */
const TERMINAL_MS = 100;
const PLAIN_MS = 10_000;

/** Before this much is done, the time that loading took would make any forecast wrong. */
const MIN_SHARE_TO_FORETELL = 0.05;

export interface ProgressOptions {
  readonly stream: CliStream;
  /** JSON lines in place of text where the stream is no terminal */
  readonly json: boolean;
  /** milliseconds; tests give their own clock */
  readonly now?: () => number;
}

export interface ProgressRenderer {
  update(progress: Progress): void;
  /** Clears the line on a terminal, so that what follows stands alone. */
  done(): void;
}

/** What is done: a survey that counts tokens builds on the way. */
const passName = ({ pass, tokens }: Progress): string =>
  pass === 'survey' && tokens === 0 ? 'reading' : 'building';

/** Shows how a run goes: one line that is redrawn on a terminal, a new line every ten seconds elsewhere. */
export function createProgress(options: ProgressOptions): ProgressRenderer {
  const { stream, json, now = Date.now } = options;
  const terminal = stream.isTTY === true;
  const interval = terminal ? TERMINAL_MS : PLAIN_MS;
  let lastWrite = terminal ? Number.NEGATIVE_INFINITY : now();
  let drawn = false;
  return {
    update(progress) {
      const time = now();
      if (time - lastWrite < interval) return;
      lastWrite = time;
      if (terminal) {
        const width = Math.max((stream.columns ?? 80) - 1, 20);
        stream.write(`\r\u001b[2K${formatProgress(progress, time).slice(0, width)}`);
        drawn = true;
      } else if (json) {
        const { startedAt, ...counts } = progress;
        stream.write(`${JSON.stringify({ ...counts, seconds: (time - startedAt) / 1000 })}\n`);
      } else {
        stream.write(`${formatProgress(progress, time)}\n`);
      }
    },
    done() {
      if (drawn) stream.write('\r\u001b[2K');
      drawn = false;
    },
  };
}

/** `building  42%  12.3 MB/s  3 min 05 s left  1,204 trajectories  2 rejected  tasks 3/16`. */
export function formatProgress(progress: Progress, now: number): string {
  const { bytesDone, bytesTotal, tasksDone, tasksTotal, trajectories, rejected, startedAt } = progress;
  const seconds = Math.max((now - startedAt) / 1000, 0);
  const share = bytesTotal === 0 ? 1 : Math.min(bytesDone / bytesTotal, 1);
  const parts = [passName(progress), `${Math.floor(share * 100)}%`];
  if (bytesDone > 0 && seconds > 0) {
    const rate = bytesDone / seconds;
    parts.push(`${formatBytes(rate)}/s`);
    if (share >= MIN_SHARE_TO_FORETELL && share < 1)
      parts.push(`${formatDuration((bytesTotal - bytesDone) / rate)} left`);
  }
  parts.push(formatCounted(trajectories, 'trajectory', 'trajectories'));
  if (rejected > 0) parts.push(`${formatCount(rejected)} rejected`);
  parts.push(`tasks ${tasksDone}/${tasksTotal}`);
  return parts.join('  ');
}
