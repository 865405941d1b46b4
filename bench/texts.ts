import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Texts to encode: message pieces, and whole trajectories made of them. */
export interface BenchTexts {
  readonly source: 'real logs' | 'synthetic';
  readonly pieces: readonly string[];
  readonly wholes: readonly string[];
  readonly bytes: number;
}

const WHOLE_CHARACTERS = 60_000;

/** Strings of the logs under `$TRAJMILL_SHARED/logs` (or ../shared/logs), about `bytes` of them; else synthetic text. */
export function benchTexts(bytes: number): BenchTexts {
  const folder = join(process.env['TRAJMILL_SHARED'] ?? '../shared', 'logs');
  const real = existsSync(folder) ? limited(logStrings(folder), bytes) : [];
  const pieces = real.length > 0 ? real : limited(syntheticPieces(), bytes);
  return {
    source: real.length > 0 ? 'real logs' : 'synthetic',
    pieces,
    wholes: conversations(pieces),
    bytes: pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0),
  };
}

function limited(pieces: Iterable<string>, bytes: number): string[] {
  const kept: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    kept.push(piece);
    size += Buffer.byteLength(piece);
    if (size >= bytes) break;
  }
  return kept;
}

function* logStrings(folder: string): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* logStrings(path);
    else if (/\.(json|jsonl|traj)$/.test(name)) yield* stringsOf(parsed(readFileSync(path, 'utf8')));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  }
}

/** Messages, not ids and names: strings of at least 40 characters with a space. */
function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (value.length >= 40 && value.includes(' ')) yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* stringsOf(inner);
  }
}

function conversations(pieces: readonly string[]): string[] {
  const wholes: string[] = [];
  let turns = '';
  for (const [k, piece] of pieces.entries()) {
    turns += `<|im_start|>${k % 2 === 0 ? 'user' : 'assistant'}\n${piece}<|im_end|>\n`;
    if (turns.length > WHOLE_CHARACTERS) {
      wholes.push(turns);
      turns = '';
    }
  }
  if (turns !== '') wholes.push(turns);
  return wholes;
}

/** Endless messages in the manner of agents: prose, Python, logs of training, diffs. Always the same. */
function* syntheticPieces(): Generator<string> {
  const next = generator(1);
  const pick = (list: readonly string[]): string => list[Math.floor(next() * list.length)] ?? '';
  const words =
    'the model score data train fold error value file column loss result feature epoch we should now check why'.split(
      ' ',
    );
  const names = 'df X_train y_pred model scaler config loader submission fold_idx best_score optimizer'.split(
    ' ',
  );
  const sentence = (): string =>
    `${Array.from({ length: 6 + Math.floor(next() * 12) }, () => pick(words)).join(' ')}. `;
  const lines: Array<() => string> = [
    sentence,
    () =>
      `    ${pick(names)} = ${pick(names)}.${pick(words)}(${pick(names)}, n=${Math.floor(next() * 5000)})\n`,
    () =>
      `[epoch ${Math.floor(next() * 90)}] loss=${next().toFixed(6)} auc=${next().toFixed(5)} ${pick(words)}\n`,
    () =>
      `  File "/home/agent/${pick(words)}/${pick(names)}.py", line ${Math.floor(next() * 900)}, in ${pick(names)}\n`,
    () =>
      `+${' '.repeat(4 * Math.floor(next() * 4))}return {"${pick(words)}": ${pick(names)}[${Math.floor(next() * 99)}]}\n`,
  ];
  for (;;) {
    const style = lines[Math.floor(next() * lines.length)] ?? sentence;
    let piece = '';
    for (let count = 2 + Math.floor(next() * 30); count > 0; count--)
      piece += next() < 0.8 ? style() : sentence();
    yield piece;
  }
}

/** Pseudo-random numbers in [0, 1) from a seed (a linear congruence modulo 2^32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
