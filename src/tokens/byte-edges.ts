/** Where an edge between two texts falls in the bytes of their joined, normalised form. */
export interface EdgeSink {
  /**
   * Edge `at` lies at byte `low` = `high`, or inside a character that composed across it, whose bytes low..high
   * then belong to neither side.
   */
  edge(at: number, low: number, high: number): void;
}

export interface EdgeInput {
  /** the texts joined */
  readonly text: string;
  /** edges in `text`, ascending, in UTF-16 units */
  readonly offsets: readonly number[];
  readonly normalize: (text: string) => string;
  /** byte at which the text starts */
  readonly base: number;
}

/** Marks and trailing jamo can compose with, or move before, what stands in front of them. */
const JOINS_BACKWARD = /[\p{M}\u1161-\u1175\u11a8-\u11c2\u{16d63}\u{16d67}]/u;
const FIRST_JOINER = 0x0300;

/**
 * Maps edges of a text to UTF-8 bytes of its normalised form and returns the byte at which it ends. A lone
 * surrogate counts the three bytes of U+FFFD. Linear: only the surroundings of an edge inside a cluster of
 * combining characters are normalised more than once.
 */
export function mapEdges({ text, offsets, normalize, base }: EdgeInput, sink: EdgeSink): number {
  let done = 0;
  let bytes = base;
  const advance = (to: number): void => {
    if (to <= done) return;
    bytes += Buffer.byteLength(normalize(text.slice(done, to)));
    done = to;
  };
  offsets.forEach((offset, at) => {
    const from = boundaryBefore(text, offset);
    if (from === offset) {
      advance(offset);
      sink.edge(at, bytes, bytes);
      return;
    }
    // A cluster may hold several edges: `done` then stays at its start.
    advance(from);
    const to = boundaryAfter(text, offset);
    const zone = locate(text, { from, offset, to }, normalize);
    sink.edge(at, bytes + zone.low, bytes + zone.high);
  });
  advance(text.length);
  return bytes;
}

interface Cluster {
  readonly from: number;
  readonly offset: number;
  readonly to: number;
}

/** The bytes, counted from the cluster's start, that belong to neither side of an edge inside it. */
function locate(
  text: string,
  { from, offset, to }: Cluster,
  normalize: (text: string) => string,
): { low: number; high: number } {
  const whole = [...normalize(text.slice(from, to))];
  const left = [...normalize(text.slice(from, offset))];
  const right = [...normalize(text.slice(offset, to))];
  let kept = 0;
  while (kept < left.length && left[kept] === whole[kept]) kept++;
  let after = 0;
  while (
    after < right.length &&
    after < whole.length - kept &&
    right[right.length - 1 - after] === whole[whole.length - 1 - after]
  ) {
    after++;
  }
  const low = byteLength(whole, 0, kept);
  return { low, high: low + byteLength(whole, kept, whole.length - after) };
}

function byteLength(characters: readonly string[], start: number, end: number): number {
  return Buffer.byteLength(characters.slice(start, end).join(''));
}

/** The last position at or before `offset` at which normalisation may be cut. */
function boundaryBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && at < text.length && joinsBackward(text, at)) at--;
  return at;
}

function boundaryAfter(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && joinsBackward(text, at)) at++;
  return at;
}

/** Whether the character at `at` may join what stands before it; also true inside a surrogate pair. */
function joinsBackward(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < FIRST_JOINER) return false;
  if (isLow(unit) && isHigh(text.charCodeAt(at - 1))) return true;
  return JOINS_BACKWARD.test(String.fromCodePoint(text.codePointAt(at) ?? unit));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
