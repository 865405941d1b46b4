import type { Turn } from '../trajectory/turn.js';

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

/** The model that wrote most assistant turns, the first of them at a tie; null where none is named. */
export function mostUsedModel(turns: readonly Turn[]): string | null {
  const counts = new Map<string, number>();
  for (const turn of turns) {
    const model = turn.spans.find((span) => span.origin === 'model' && span.model !== null)?.model ?? null;
    if (model !== null) counts.set(model, (counts.get(model) ?? 0) + 1);
  }
  let best: string | null = null;
  for (const [model, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = model;
  return best;
}

/** Spans of the trajectory's own model name none; spans of a message that named none count as its own. */
export function withoutOwnModel(turns: readonly Turn[], model: string | null): Turn[] {
  return turns.map((turn) =>
    turn.spans.some((span) => span.model !== null && span.model === model)
      ? {
          ...turn,
          spans: turn.spans.map((span) => (span.model === model ? { ...span, model: null } : span)),
        }
      : turn,
  );
}
