import { el } from '../../common/dom.js';

const builders = new WeakMap<HTMLDetailsElement, () => void>();
/** what stays open while its part is drawn anew */
const open = new Set<string>();
let isPrinting = false;

interface DisclosureOptions {
  /** unique in the page */
  readonly id: string;
  readonly summary: string;
  /** called once, when it is first opened: what nobody opens costs nothing */
  readonly build: () => Node;
}

/** Something to open. It is open again, if it was, after a filter has changed. */
export function disclosure({ id, summary, build }: DisclosureOptions): HTMLDetailsElement {
  const details = el('details', { 'data-id': id }, el('summary', {}, summary));
  let isBuilt = false;
  const ensure = (): void => {
    if (isBuilt) return;
    isBuilt = true;
    details.append(build());
  };
  builders.set(details, ensure);
  details.addEventListener('toggle', () => {
    if (details.open) ensure();
    if (details.hasAttribute('data-print')) return;
    if (details.open) open.add(id);
    else open.delete(id);
  });
  if (open.has(id) || isPrinting) {
    details.toggleAttribute('data-print', isPrinting && !open.has(id));
    ensure();
    details.open = true;
  }
  return details;
}

/** Opens all for paper, and closes them after it. `before` draws what is not drawn yet. */
export function openForPrint(before: () => void): void {
  window.addEventListener('beforeprint', () => {
    before();
    isPrinting = true;
    for (const details of document.querySelectorAll('details')) {
      if (details.open) continue;
      details.setAttribute('data-print', '');
      builders.get(details)?.();
      details.open = true;
    }
  });
  window.addEventListener('afterprint', () => {
    isPrinting = false;
    for (const details of document.querySelectorAll<HTMLDetailsElement>('details[data-print]')) {
      details.open = false;
      // its toggle event comes later
      setTimeout(() => details.removeAttribute('data-print'), 100);
    }
  });
}
