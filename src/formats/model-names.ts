import type { Turn } from '../trajectory/turn.js';
import { mostUsedModel } from './anthropic-turns.js';

/** The day of a snapshot, which providers answer with where they were asked for the model without one. */
const SNAPSHOT = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** A model as its provider calls it: configurations put the provider, or several, before the name. */
function bareName(name: string | null): string | null {
  return name?.split('/').at(-1) ?? null;
}

/** Whether two names, of which one may have its provider before it, or a day behind it, are of one model. */
export function isSameModel(one: string | null, other: string | null): boolean {
  const [a, b] = [bareName(one), bareName(other)];
  if (a === null || b === null) return a === b;
  return a === b || a.replace(SNAPSHOT, '') === b || a === b.replace(SNAPSHOT, '');
}

/**
 * The model of a run whose spans name theirs: the configured one, or of several the one that wrote most where none of
 * them is that (a model that picks others). What others wrote goes on naming them; its own spans name none.
 */
export function ownModel(
  turns: readonly Turn[],
  configured: string | null,
): { readonly turns: Turn[]; readonly model: string | null } {
  const written = turns.flatMap(({ spans }) => spans.filter(({ origin }) => origin === 'model'));
  const models = [...new Set(written.flatMap(({ model }) => model ?? []))];
  const isKnown = models.some((model) => isSameModel(model, configured));
  const alone = models.length < 2 || isKnown;
  const model = alone ? (configured ?? models[0] ?? null) : mostUsedModel(turns);
  const isOwn = (name: string | null): boolean =>
    models.length < 2 || isSameModel(name, model) || name === null;
  return {
    turns: turns.map((turn) => ({
      ...turn,
      spans: turn.spans.map((span) => (isOwn(span.model) ? { ...span, model: null } : span)),
    })),
    model,
  };
}
