import type { ReportData } from './data.js';
import { type PageFacts, readFacts } from './facts.js';
import { type Filters, NO_FILTERS, type View, viewMaker } from './view.js';

/** What all parts of the page share: the corpus, and the part of it that is shown. */
export class Page {
  readonly data: ReportData;
  readonly all: PageFacts;
  readonly whole: View;
  readonly #viewOf: (filters: Filters) => View;
  readonly #parts: Part[] = [];
  #waiting: Part[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #filters: Filters = NO_FILTERS;
  #view: View;

  constructor(data: ReportData) {
    this.data = data;
    this.all = readFacts(data);
    this.#viewOf = viewMaker(data, this.all);
    this.whole = this.#viewOf(NO_FILTERS);
    this.#view = this.whole;
  }

  get view(): View {
    return this.#view;
  }

  get filters(): Filters {
    return this.#filters;
  }

  /** Shows another part of the corpus. */
  filter(filters: Filters): void {
    this.#filters = filters;
    const isAll = Object.values(filters).every((value) => value === null);
    this.#view = isAll ? this.whole : this.#viewOf(filters);
    this.redraw();
  }

  /** Calls a function whenever what is shown, or the room for it, has changed: the parts in sight come first. */
  onChange(element: Element, draw: () => void): void {
    this.#parts.push({ element, draw });
  }

  /** Draws every part anew, in slices, so that the page answers in between. */
  redraw(): void {
    delete document.documentElement.dataset['ready'];
    this.#waiting = [...this.#parts];
    this.#slice();
  }

  /** Draws now what still waits. */
  flush(): void {
    for (const { draw } of this.#waiting.splice(0)) draw();
    document.documentElement.dataset['ready'] = '';
  }

  #slice(): void {
    clearTimeout(this.#timer);
    const end = performance.now() + SLICE_MS;
    while (this.#waiting.length > 0 && performance.now() < end) {
      const inSight = this.#waiting.findIndex(({ element }) => isInSight(element));
      const [next] = this.#waiting.splice(Math.max(0, inSight), 1);
      next?.draw();
    }
    if (this.#waiting.length === 0) this.flush();
    else this.#timer = setTimeout(() => this.#slice(), 0);
  }
}

/** Work between two answers of the page. */
const SLICE_MS = 50;

function isInSight(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < window.innerHeight;
}

interface Part {
  readonly element: Element;
  readonly draw: () => void;
}
