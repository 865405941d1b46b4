import { el } from '../common/dom.js';
import { count } from '../common/numbers.js';
import { rangeOfUnits } from '../common/visible-text.js';
import { showWhole } from './block-view.js';
import type { PageState } from './page-state.js';
import { type Found, findText, MOST_FOUND } from './search.js';
import type { TurnColumn } from './turn-column.js';

const PAUSE_MS = 250;

/** A search over the data of the page, since the browser's own sees only what is drawn. */
export class SearchBox {
  readonly element: HTMLElement;
  readonly #state: PageState;
  readonly #column: TurnColumn;
  readonly #input: HTMLInputElement;
  readonly #status = el('output', { class: 'found', 'aria-live': 'polite' });
  #found: readonly Found[] = [];
  #at = -1;
  /** nothing has been stepped to yet */
  #fresh = true;
  #asked = '';
  #timer = 0;

  constructor(state: PageState, column: TurnColumn) {
    this.#state = state;
    this.#column = column;
    this.#input = el('input', {
      type: 'search',
      id: 'search',
      placeholder: 'Search all turns',
      'aria-label': 'Search all turns',
      autocomplete: 'off',
      oninput: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#ask(), PAUSE_MS);
      },
      onkeydown: (event) => {
        if (!(event instanceof KeyboardEvent)) return;
        if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
        if (event.key === 'Escape') this.#input.blur();
      },
    });
    const step = (by: number, name: string, sign: string): HTMLElement =>
      el('button', { type: 'button', 'aria-label': name, title: name, onclick: () => this.step(by) }, sign);
    this.element = el(
      'search',
      { class: 'search' },
      this.#input,
      step(-1, 'Previous place', '↑'),
      step(1, 'Next place', '↓'),
      this.#status,
    );
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** The row has changed: what was found may stand elsewhere. */
  forget(): void {
    this.#asked = '';
    this.#at = -1;
    if (this.#input.value !== '') this.#ask();
  }

  /** Goes to the next or the previous place. */
  step(by: number): void {
    this.#ask();
    if (this.#found.length === 0) return;
    // the first step back leads before the place that the first step on leads to
    if (this.#fresh && by < 0) this.#at++;
    this.#fresh = false;
    this.#at = (this.#at + by + this.#found.length) % this.#found.length;
    const place = this.#found[this.#at];
    if (place !== undefined) this.#show(place);
    this.#say();
  }

  #ask(): void {
    clearTimeout(this.#timer);
    const wanted = this.#input.value;
    if (wanted === this.#asked) return;
    this.#asked = wanted;
    this.#found = findText(this.#state.data, this.#state.row, wanted);
    // the next step leads to the first place at or after what is read now
    const { current } = this.#column;
    const next = this.#found.findIndex(({ turn }) => turn >= current);
    this.#at = (next === -1 ? this.#found.length : next) - 1;
    this.#fresh = true;
    this.#say();
  }

  #say(): void {
    const total = this.#found.length;
    const many = total === MOST_FOUND ? `${count(total)} or more` : count(total);
    if (this.#asked === '') this.#status.textContent = '';
    else if (total === 0) this.#status.textContent = 'nothing found';
    else this.#status.textContent = this.#fresh ? `${many} found` : `${count(this.#at + 1)} of ${many}`;
  }

  #show({ turn, block, text, start, end }: Found): void {
    const typing = document.activeElement === this.#input;
    this.#column.prepare(turn);
    const figure = this.#column.view(turn)?.blocks[block];
    if (figure !== undefined) showWhole(figure);
    const piece = figure?.querySelectorAll('.piece')[text];
    const range = piece === undefined ? null : rangeOfUnits(piece, start, end);
    if (range !== null) highlight(range);
    this.#column.goTo(turn, range);
    if (typing) this.#input.focus({ preventScroll: true });
  }
}

/** Paints a place without touching the text; browsers that cannot select it. */
function highlight(range: Range): void {
  if ('highlights' in CSS) {
    CSS.highlights.set('found', new Highlight(range));
    return;
  }
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}
