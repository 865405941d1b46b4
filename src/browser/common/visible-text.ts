import { el } from './dom.js';

/**
 * Characters that would act instead of being seen: controls but newline and tab, marks that turn the direction of text,
 * invisible spaces and tags, lone surrogates. Joiners stay: emoji and scripts are made with them.
 */
const ACTING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

/** Appends text with what cannot be seen made visible. It is only ever text: nothing in it is markup. */
export function appendVisible(parent: Node, text: string): void {
  let done = 0;
  for (const { 0: character, index } of text.matchAll(ACTING)) {
    if (index > done) parent.appendChild(document.createTextNode(text.slice(done, index)));
    parent.appendChild(sign(character));
    done = index + character.length;
  }
  if (done < text.length) parent.appendChild(document.createTextNode(text.slice(done)));
}

function sign(character: string): HTMLElement {
  const code = character.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  // controls have pictures of their own
  const shown = code < 0x20 ? String.fromCodePoint(0x2400 + code) : code === 0x7f ? '\u2421' : `⟨${name}⟩`;
  return el('span', { class: 'sign', 'data-code': code.toString(16), title: name }, shown);
}

/** UTF-16 units of the text behind a node that `appendVisible` made. */
function unitsOf(node: Node): number {
  if (node instanceof HTMLElement) {
    const code = node.dataset['code'];
    if (code !== undefined) return Number.parseInt(code, 16) > 0xffff ? 2 : 1;
    return [...node.childNodes].reduce((sum, child) => sum + unitsOf(child), 0);
  }
  return node.textContent?.length ?? 0;
}

/** The range of the page that shows units `start` to `end` of a text; null where they are not shown. */
export function rangeOfUnits(root: Node, start: number, end: number): Range | null {
  const from = placeOf(root, start);
  const to = placeOf(root, end);
  if (from === null || to === null) return null;
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

function placeOf(root: Node, units: number): { readonly node: Node; readonly offset: number } | null {
  let left = units;
  for (const child of root.childNodes) {
    const here = unitsOf(child);
    if (left > here) {
      left -= here;
      continue;
    }
    if (child.nodeType === Node.TEXT_NODE) return { node: child, offset: left };
    const isSign = child instanceof HTMLElement && child.dataset['code'] !== undefined;
    if (isSign) return { node: child, offset: left === 0 ? 0 : child.childNodes.length };
    return placeOf(child, left);
  }
  return left === 0 ? { node: root, offset: root.childNodes.length } : null;
}
