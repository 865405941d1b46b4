import { el } from '../common/dom.js';
import type { PageState } from './page-state.js';
import { TurnView } from './turn-view.js';

/** How far beyond the screen turns are built, in pixels. */
const NEAR = 1500;
const AROUND = 4;
/** Frames in which turns above the target may still grow and move it. */
const SETTLING = 6;

/** All turns, of which only those near the screen have a body. */
export class TurnColumn {
  readonly element: HTMLElement;
  readonly #views: readonly TurnView[];
  readonly #state: PageState;
  #target: number | null = null;
  #whole = false;

  constructor(state: PageState) {
    this.#state = state;
    this.#views = state.data.turns.map((turn, position) => new TurnView(state, position, turn));
    this.element = el(
      'main',
      { id: 'turns', tabindex: '-1', 'aria-label': 'Turns' },
      el('h2', { class: 'unseen' }, 'Turns'),
      ...this.#views.map(({ element }) => element),
    );
    const places = new Map<Element, TurnView>(this.#views.map((view) => [view.element, view]));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) places.get(target)?.fill(this.#whole);
        }
      },
      { rootMargin: `${NEAR}px 0px` },
    );
    for (const { element } of this.#views) observer.observe(element);
    addEventListener('wheel', this.#forget, { passive: true });
    addEventListener('touchmove', this.#forget, { passive: true });
  }

  view(position: number): TurnView | undefined {
    return this.#views[position];
  }

  /** Draws all turns for the chosen row. */
  refresh(): void {
    for (const view of this.#views) view.refresh();
  }

  /** Builds every turn, with `whole` to the end of its texts: for printing and for the browser's own search. */
  fillAll(whole: boolean): void {
    this.#whole = whole;
    this.element.classList.add('all');
    for (const view of this.#views) view.fill(whole);
  }

  /** The turn that is read: the one last jumped to while it is on the screen, else the first below the bar. */
  get current(): number {
    const target = this.#target === null ? null : this.#views[this.#target]?.element.getBoundingClientRect();
    if (this.#target !== null && target != null && target.top < innerHeight && target.bottom > 0) {
      return this.#target;
    }
    let low = 0;
    let high = this.#views.length - 1;
    const top = barHeight() + 8;
    while (low < high) {
      const middle = (low + high) >> 1;
      const box = this.#views[middle]?.element.getBoundingClientRect();
      if ((box?.bottom ?? 0) <= top) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Builds a turn and those around it. */
  prepare(position: number): void {
    for (let near = position - AROUND; near <= position + AROUND; near++) {
      this.#views[near]?.fill(this.#whole);
    }
  }

  /** Brings a turn to the top, or a place in it onto the screen, and holds it there while turns around it settle. */
  goTo(position: number, place: Range | null = null): void {
    const view = this.#views[position];
    if (view === undefined) return;
    this.#target = position;
    this.prepare(position);
    history.replaceState(null, '', `#${this.#state.data.turns[position]?.anchor ?? ''}`);
    for (const each of document.querySelectorAll('.turn.target')) each.classList.remove('target');
    view.element.classList.add('target');
    view.heading?.focus({ preventScroll: true });
    view.element.scrollIntoView({ block: 'start' });
    this.#hold(view.element, place, SETTLING);
  }

  /** Goes to the turn that the address names. True where there is one. */
  goToHash(): boolean {
    const anchor = decodeURIComponent(location.hash.slice(1));
    const position = this.#state.data.turns.findIndex((turn) => turn.anchor === anchor);
    if (position === -1) return false;
    this.goTo(position);
    return true;
  }

  #hold(element: HTMLElement, place: Range | null, frames: number): void {
    if (frames === 0) return;
    requestAnimationFrame(() => {
      if (this.#target === null || this.#views[this.#target]?.element !== element) return;
      if (place === null) element.scrollIntoView({ block: 'start' });
      else bringIn(place);
      this.#hold(element, place, frames - 1);
    });
  }

  readonly #forget = (): void => {
    this.#target = null;
  };
}

/** Scrolls a place to the upper third of the screen unless it can be seen. */
function bringIn(place: Range): void {
  const { top, bottom } = place.getBoundingClientRect();
  if (top < barHeight() || bottom > innerHeight) scrollBy(0, top - innerHeight / 3);
}

const barHeight = (): number => document.querySelector('.bar')?.getBoundingClientRect().bottom ?? 0;
