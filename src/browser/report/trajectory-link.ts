import { byId, el } from '../common/dom.js';
import type { Page } from './page.js';

const views = new WeakMap<Page, ReadonlySet<string> | null>();

/** The page of a trajectory, or null where none is known. */
export function trajectoryHref(page: Page, id: string): string | null {
  const { viewer } = page.data;
  if (viewer === null) return null;
  let ids = views.get(page);
  if (ids === undefined) {
    ids = viewer.ids === null ? null : new Set(viewer.ids);
    views.set(page, ids);
  }
  if (ids !== null && !ids.has(id)) return null;
  return viewer.pattern.replace('{id}', encodeURIComponent(id));
}

/** A trajectory by the beginning of its id: a link to its page, or a button that gives the command for it. */
export function trajectoryCell(page: Page, id: string): Node {
  const text = id.slice(0, 12);
  const href = trajectoryHref(page, id);
  if (href !== null) return el('a', { href, class: 'mono', title: id }, text);
  return el(
    'button',
    { type: 'button', class: 'mono id', title: `trajmill view DIR ${id}`, onclick: () => void offer(id) },
    text,
  );
}

/** Shows the command that opens a trajectory, and copies it where the browser lets it. */
async function offer(id: string): Promise<void> {
  const command = `trajmill view DIR ${id}`;
  const host = byId('command');
  const say = (how: string): void =>
    host.replaceChildren(
      el('span', {}, `${how} (DIR is the run folder): `),
      el('code', {}, command),
      el('button', { type: 'button', onclick: () => host.replaceChildren() }, 'Close'),
    );
  try {
    await navigator.clipboard.writeText(command);
    say('Copied');
  } catch {
    say('To see it, run');
  }
}
