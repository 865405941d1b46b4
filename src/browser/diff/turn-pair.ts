import { el } from '../common/dom.js';
import { count } from '../common/numbers.js';
import { appendVisible } from '../common/visible-text.js';
import type { DiffSegment, DiffTurn } from './data.js';

type SideName = 'a' | 'b';

const SIDES = [
  ['a', 'A'],
  ['b', 'B'],
] as const;

/** A turn on both sides. What differs is framed on each and says in words what it is. */
export function turnPair({ number, role, segments }: DiffTurn): HTMLElement {
  return el(
    'div',
    { class: 'turn' },
    el('h3', {}, `Turn ${number} `, el('span', { class: 'role' }, role)),
    el(
      'div',
      { class: 'sides' },
      ...SIDES.map(([side, name]) =>
        el(
          'div',
          { class: 'side', role: 'group', 'aria-label': `${name}, turn ${number}` },
          el('pre', { class: 'words' }, ...segments.map((segment) => segmentView(segment, side))),
        ),
      ),
    ),
  );
}

function segmentView(segment: DiffSegment, side: SideName): HTMLElement | null {
  const mark = segment[side];
  const differs = segment.a !== segment.b;
  if (mark === null) {
    return el('span', { class: 'absent' }, tag(`${segment.part} not here`));
  }
  const holder = el(mark === 'trained' ? 'mark' : 'span', {
    class: `${mark}${differs ? ' differs' : ''}`,
    title: differs ? `${segment.part}: ${mark} here` : null,
  });
  appendVisible(holder, differs ? newlinesShown(segment.text) : segment.text);
  if (segment.left_out > 0) {
    holder.append(tag(`… ${count(segment.left_out)} more characters, the same …`));
    appendVisible(holder, segment.tail);
  }
  return differs ? el('span', {}, tag(`${segment.part} ${mark}`), holder) : holder;
}

const tag = (words: string): HTMLElement => el('span', { class: 'tag' }, words);

/** A difference may be nothing but a newline. */
const newlinesShown = (text: string): string => text.replaceAll('\n', '↵\n');
