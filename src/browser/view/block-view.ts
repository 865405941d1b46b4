import { el } from '../common/dom.js';
import { count } from '../common/numbers.js';
import { appendVisible } from '../common/visible-text.js';
import { type Block, markedRuns, shareOf } from './blocks.js';

/** Longer texts are shown up to here until someone asks for more. */
const SHOWN = 2400;

const KIND_NAMES: Readonly<Record<string, string>> = {
  reasoning: 'reasoning',
  text: 'text',
  tool_call: 'tool call',
  malformed_call: 'malformed call',
  observation: 'observation',
  prompt: 'prompt',
  image: 'image',
  template: 'template',
  'as sampled': 'as sampled',
};

const SHARE_NAMES = { all: 'trained', some: 'partly trained', none: 'not trained' } as const;

/** A block as an element. `whole` shows long texts to their end. */
export function blockView(block: Block, whole: boolean): HTMLElement {
  const { kind, call, note, texts, model } = block;
  const share = shareOf(block);
  const isTemplate = kind === 'template';
  const held = texts.some((text) => text.held !== null);
  const name = KIND_NAMES[kind] ?? kind;
  const pre = el('pre', { class: 'words', tabindex: '-1' });
  const figure = el(
    'div',
    { class: `block kind-${kind.replaceAll(/\W/g, '-')} share-${held ? share : 'off'}`, role: 'group' },
    el(
      'p',
      { class: 'label' },
      el('span', { class: 'kind' }, name),
      call === null ? null : visible('code', 'call', call),
      model || isTemplate ? null : el('span', { class: 'origin' }, 'environment'),
      held ? el('span', { class: `share ${share}` }, SHARE_NAMES[share]) : null,
      note === null ? null : el('span', { class: 'note' }, note),
    ),
    pre,
  );
  figure.setAttribute('aria-label', `${name}${held ? `, ${SHARE_NAMES[share]}` : ''}`);
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);
  const isCut = !whole && length > SHOWN;
  fill(pre, block, isCut ? SHOWN : length);
  if (isCut) {
    const button = el(
      'button',
      {
        class: 'more',
        type: 'button',
        onclick: () => {
          showWhole(figure);
          pre.focus({ preventScroll: true });
        },
      },
      `Show all ${count(length)} characters`,
    );
    figure.append(button);
    pending.set(figure, () => {
      pre.replaceChildren();
      fill(pre, block, length);
      button.remove();
    });
  }
  return figure;
}

/** What still has to be done to show blocks to their end. */
const pending = new WeakMap<HTMLElement, () => void>();

/** Shows a block to its end. */
export function showWhole(figure: HTMLElement): void {
  pending.get(figure)?.();
  pending.delete(figure);
}

function visible(tag: 'code', name: string, text: string): HTMLElement {
  const element = el(tag, { class: name });
  appendVisible(element, text);
  return element;
}

/** Text by text, each in an element of its own, so that a place in it can be found again. */
function fill(pre: HTMLElement, { texts }: Block, units: number): void {
  let left = units;
  for (const each of texts) {
    if (left <= 0) break;
    const holder = el('span', { class: each.glue ? 'piece glue' : 'piece' });
    for (const { text, mark } of markedRuns(each, cutAt(each.text, left))) {
      if (mark === 'none') {
        appendVisible(holder, text);
        continue;
      }
      const marked = el(mark === 'trained' ? 'mark' : 'span', {
        class: mark,
        title: mark === 'split' ? 'only some bytes of this character are trained' : null,
      });
      appendVisible(marked, text);
      holder.append(marked);
    }
    pre.append(holder);
    left -= each.text.length;
  }
}

/** Where to cut a text so that no pair of surrogates is torn. */
function cutAt(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
