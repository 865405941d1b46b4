import type { Trajectory } from '../trajectory/trajectory.js';
import { findSecrets } from './secret-finder.js';
import { mayHoldSecret } from './secret-rules.js';

/** Distinct secrets that were masked, by kind. */
export type SecretCounts = Readonly<Record<string, number>>;

export interface MaskedText {
  readonly text: string;
  readonly counts: SecretCounts;
}

export interface MaskedTrajectory {
  /** the trajectory that was given, itself, where it holds no secret */
  readonly trajectory: Trajectory;
  readonly counts: SecretCounts;
}

export interface SecretMaskerOptions {
  /** false passes everything through unseen: only for users who ask for it by name */
  readonly enabled: boolean;
}

/** Masks secrets before anything is written. */
export interface SecretMasker {
  /** One text on its own (a reject's message, an error), numbered from 1. */
  maskText(text: string): MaskedText;
  /**
   * Every text of a trajectory but its source path. The same secret has the same placeholder throughout, by
   * order of first appearance: `[masked-aws-key-id-1]`. A masked trajectory keeps the identity of the text
   * that was logged and gets the flag `secrets_masked`; token ids that its log recorded would still spell the secret, so they are dropped
   * with the flag `policy_dropped_secret`.
   */
  maskTrajectory(trajectory: Trajectory): MaskedTrajectory;
}

/** A secret of this length is masked wherever it stands, also where no rule would see it (an echoed key). */
const MIN_BARE_LENGTH = 16;

/** Placeholders of one trajectory. A placeholder says nothing of the secret but its kind and order. */
class Ledger {
  private readonly placeholders = new Map<string, string>();
  private readonly bare = new Map<string, string>();
  readonly counts: Record<string, number> = {};

  placeholder(kind: string, secret: string): string {
    // a key is the same key with its newlines escaped
    const identity = secret.replace(/\\+[nrt]|\s/g, '');
    let placeholder = this.placeholders.get(identity);
    if (placeholder === undefined) {
      const number = (this.counts[kind] ?? 0) + 1;
      this.counts[kind] = number;
      placeholder = `[masked-${kind}-${number}]`;
      this.placeholders.set(identity, placeholder);
    }
    if (secret.length >= MIN_BARE_LENGTH) this.bare.set(secret, placeholder);
    return placeholder;
  }

  get isEmpty(): boolean {
    return this.placeholders.size === 0;
  }

  replaceBare(text: string): string {
    let masked = text;
    for (const [secret, placeholder] of this.bare) {
      if (masked.includes(secret)) masked = masked.replaceAll(secret, () => placeholder);
    }
    return masked;
  }
}

function maskFound(text: string, ledger: Ledger): string {
  const found = findSecrets(text);
  let masked = '';
  let position = 0;
  for (const { start, end, kind } of found) {
    masked += text.slice(position, start) + ledger.placeholder(kind, text.slice(start, end));
    position = end;
  }
  return position === 0 ? text : masked + text.slice(position);
}

/** Visits every string of a JSON-like value, but for what stands under the key `skipped`. */
function eachString(value: unknown, skipped: string, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value);
  else if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) eachString(value[i], skipped, visit);
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) {
      if (key !== skipped) eachString(value[key as keyof typeof value], skipped, visit);
    }
  }
}

/** Maps every string of a JSON-like value; parts without a change keep their identity. */
function mapStrings<T>(value: T, change: (text: string) => string): T;
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let copy: unknown[] | null = null;
    for (const [index, item] of value.entries()) {
      const mapped = mapStrings(item, change);
      if (mapped !== item) {
        copy ??= [...value];
        copy[index] = mapped;
      }
    }
    return copy ?? value;
  }
  let copy: Record<string, unknown> | null = null;
  for (const [key, item] of Object.entries(value)) {
    const mapped = mapStrings(item, change);
    if (mapped !== item) {
      copy ??= { ...value };
      copy[key] = mapped;
    }
  }
  return copy ?? value;
}

/** What is read for secrets: all but identity, source and the policy's token ids. */
function readable(trajectory: Trajectory): Omit<Trajectory, 'trajectory_id' | 'source'> {
  const { trajectory_id: _id, source: _source, ...rest } = trajectory;
  return rest;
}

function maskTrajectory(trajectory: Trajectory): MaskedTrajectory {
  const suspects = new Set<string>();
  const content = readable(trajectory);
  const { turns: readTurns, ...rest } = content;
  let last = '';
  const look = (text: string): void => {
    // the text of a structured call is that of its arguments
    if (text !== last && mayHoldSecret(text)) suspects.add(text);
    last = text;
  };
  eachString(rest, '', look);
  eachString(readTurns, 'policy', look);
  if (suspects.size === 0) return { trajectory, counts: {} };

  const ledger = new Ledger();
  const masked = new Map<string, string>();
  for (const text of suspects) masked.set(text, maskFound(text, ledger));
  if (ledger.isEmpty) return { trajectory, counts: {} };

  const hadPolicy = content.turns.some((turn) => turn.policy !== null);
  const changed = mapStrings(content, (text) => ledger.replaceBare(masked.get(text) ?? text));
  const turns = hadPolicy ? changed.turns.map((turn) => ({ ...turn, policy: null })) : changed.turns;
  const flags = new Set([
    ...changed.flags,
    'secrets_masked',
    ...(hadPolicy ? ['policy_dropped_secret'] : []),
  ]);
  return {
    trajectory: {
      ...changed,
      turns,
      flags: [...flags],
      trajectory_id: trajectory.trajectory_id,
      source: trajectory.source,
    },
    counts: ledger.counts,
  };
}

function maskText(text: string): MaskedText {
  if (!mayHoldSecret(text)) return { text, counts: {} };
  const ledger = new Ledger();
  const masked = maskFound(text, ledger);
  return { text: ledger.replaceBare(masked), counts: ledger.counts };
}

/** The masker of a run; with `enabled: false` an explicit pass-through. */
export function createSecretMasker(options: SecretMaskerOptions = { enabled: true }): SecretMasker {
  if (options.enabled) return { maskText, maskTrajectory };
  return {
    maskText: (text) => ({ text, counts: {} }),
    maskTrajectory: (trajectory) => ({ trajectory, counts: {} }),
  };
}
