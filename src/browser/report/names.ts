import type { Outcome } from './view.js';

/** How outcomes are shown: gold, silver and bronze as themselves, the rest told apart with any colour vision. */
export const OUTCOME_COLOURS: Readonly<Record<Outcome, string>> = {
  error: 'var(--o-error)',
  no_submission: 'var(--o-no-submission)',
  below_medal: 'var(--o-below)',
  bronze: 'var(--o-bronze)',
  silver: 'var(--o-silver)',
  gold: 'var(--o-gold)',
  ungraded: 'var(--o-ungraded)',
  infrastructure: 'var(--o-infrastructure)',
};

/** Names of columns and groups as words. */
export const words = (name: string): string => name.replaceAll('_', ' ');

/** The end of a name that is too long for an axis is more telling than its middle. */
export function cropped(name: string, limit = 30): string {
  if (name.length <= limit) return name;
  const head = Math.ceil((limit - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(name.length - (limit - 1 - head))}`;
}

/** The kind of a figure's key, and what it names: `task:x` is of kind task. */
export function splitKey(key: string): { readonly kind: string; readonly name: string } {
  const colon = key.indexOf(':');
  return colon < 0 ? { kind: '', name: key } : { kind: key.slice(0, colon), name: key.slice(colon + 1) };
}
