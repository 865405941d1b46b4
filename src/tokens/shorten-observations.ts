import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import type { FittedRow, OverLongRow } from './fitted-row.js';
import { tokensOfSpans } from './turn-tokens.js';

/** Flag of a turn whose observation was shortened. */
export const OBSERVATION_SHORTENED = 'observation_shortened';

/** Nothing is shortened to less than this; what is left should still tell what it was. */
const LEAST_TOKENS = 32;
const MARKER_TOKENS = 16;
const ATTEMPTS = 6;

/** What stands where the middle of an observation was taken out. */
export function elisionMarker(characters: number): string {
  return `\n[... ${characters} characters left out ...]\n`;
}

interface Observation {
  readonly turn: number;
  readonly span: number;
  readonly tokens: number;
}

/**
 * Elides the middle of the longest observations, all down to one length, until the row fits. Null where it cannot:
 * prompts and the model's own words are never touched.
 */
export function shortenObservations(request: OverLongRow): FittedRow | null {
  const { trajectory, plan, encode, maxTokens, row } = request;
  const observations = observationsOf(request);
  let excess = row.input_ids.length - maxTokens;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const cap = capFor(observations, excess);
    if (cap === null) return null;
    const turns = withShortened(trajectory.turns, observations, cap);
    const shorter = encode({ trajectory: { ...trajectory, turns }, plan });
    const over = shorter.input_ids.length - maxTokens;
    if (over <= 0)
      return { turns, plan, row: shorter, part: 0, outcome: 'observations_shortened', flags: [] };
    excess += over + MARKER_TOKENS;
  }
  return null;
}

function observationsOf({ trajectory, plan, row }: OverLongRow): Observation[] {
  const tokens = tokensOfSpans(row);
  return plan.indices.flatMap((turn) =>
    (trajectory.turns[turn]?.spans ?? []).flatMap((span, index) =>
      isObservation(span) ? [{ turn, span: index, tokens: tokens.get(turn)?.get(index) ?? 0 }] : [],
    ),
  );
}

function isObservation({ kind, origin, inline }: Span): boolean {
  return kind === 'observation' && origin === 'environment' && inline;
}

/** The most tokens that each observation may keep so that `excess` of them go; null where there are too few. */
function capFor(observations: readonly Observation[], excess: number): number | null {
  const removed = (cap: number): number =>
    observations.reduce((sum, { tokens }) => sum + Math.max(0, tokens - cap - MARKER_TOKENS), 0);
  let low = LEAST_TOKENS;
  if (removed(low) < excess) return null;
  let high = observations.reduce((most, { tokens }) => Math.max(most, tokens), low);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (removed(middle) >= excess) low = middle;
    else high = middle;
  }
  return low;
}

function withShortened(turns: readonly Turn[], observations: readonly Observation[], cap: number): Turn[] {
  const result = [...turns];
  for (const { turn: index, span: at, tokens } of observations) {
    const turn = result[index];
    if (turn === undefined || tokens <= cap + MARKER_TOKENS) continue;
    const spans = turn.spans.map((span, i) =>
      i === at ? { ...span, text: elideMiddle(span.text, cap / tokens) } : span,
    );
    result[index] = { ...turn, spans, flags: [...new Set([...turn.flags, OBSERVATION_SHORTENED])] };
  }
  return result;
}

/** Keeps a share of a text, half at each end. */
function elideMiddle(text: string, share: number): string {
  const half = Math.floor((text.length * share) / 2);
  const head = isHigh(text.charCodeAt(half - 1)) ? half - 1 : half;
  const tail = isHigh(text.charCodeAt(text.length - half - 1)) ? text.length - half + 1 : text.length - half;
  return text.slice(0, head) + elisionMarker(tail - head) + text.slice(tail);
}

/** The first half of a surrogate pair. */
function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
