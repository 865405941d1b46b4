import { el } from '../common/dom.js';
import { counted } from '../common/numbers.js';
import { themeControl } from '../common/theme.js';
import { appendVisible } from '../common/visible-text.js';
import type { Action } from './actions.js';
import type { PageState } from './page-state.js';

/** Title of the page, and from where its words and marks come. */
export function pageHead(state: PageState): HTMLElement {
  const { data } = state;
  const { source, inputs } = data;
  const title = el('h1', {}, 'Trajectory ', el('code', {}, data.trajectory_id.slice(0, 12)));
  const line = el('p', { class: 'run' });
  appendVisible(
    line,
    `${data.task ?? 'unknown task'} · ${data.decision} · ${counted(data.turns.length, 'turn')}`,
  );
  const path = el('code', {});
  appendVisible(path, source.path);
  const from =
    source.from === 'log'
      ? el('p', { class: 'source log' }, 'Words from the source log ', path, `, bytes ${source.bytes}, `)
      : el('p', { class: 'source tables' }, 'Words from the tables, ');
  if (source.from === 'log') {
    from.append(
      'whose hash is still ',
      el('code', { title: source.sha256 }, source.sha256.slice(0, 12)),
      '.',
    );
  } else {
    appendVisible(from, `not from the source log: ${source.because ?? ''}. It was `);
    from.append(path, `, bytes ${source.bytes}.`);
  }
  const head = el('header', { class: 'page' }, themeControl(), title, line, from);
  if (source.unmarked !== null) {
    head.append(el('p', { class: 'warning' }, `No token can be marked: ${source.unmarked}.`));
  }
  if (inputs.length > 1) {
    const list = el('ul', { class: 'inputs' });
    for (const { path: other, decision } of inputs) {
      const item = el('li');
      appendVisible(item, `${other}: ${decision}`);
      list.append(item);
    }
    head.append(
      el(
        'details',
        { class: 'equal' },
        el('summary', {}, `${inputs.length} inputs have these very turns`),
        list,
      ),
    );
  }
  return head;
}

export interface BarParts {
  readonly state: PageState;
  readonly actions: readonly Action[];
  readonly search: HTMLElement;
  readonly status: HTMLElement;
  readonly onRow: (id: string) => void;
  readonly onTemplate: (shown: boolean) => void;
  readonly onDrawAll: () => void;
  readonly onHelp: () => void;
}

/** The bar that stays at the top: which row, where to, what to look for. */
export class Bar {
  readonly element: HTMLElement;
  readonly #actions: readonly Action[];
  readonly #buttons: readonly HTMLButtonElement[];
  readonly #rows: HTMLSelectElement;
  readonly #template: HTMLInputElement;

  constructor(parts: BarParts) {
    const { state, actions, search, status, onRow, onTemplate, onDrawAll, onHelp } = parts;
    const { rows, source } = state.data;
    this.#actions = actions.filter(({ button }) => button !== null);
    this.#buttons = this.#actions.map(({ keys, name, button, run }) =>
      el(
        'button',
        { type: 'button', title: `${name} (key ${keys[0]})`, onclick: run },
        button ?? '',
        ' ',
        el('kbd', { 'aria-hidden': 'true' }, keys[0] ?? ''),
      ),
    );
    const none = source.unmarked === null ? 'no row was written' : 'rows cannot be decoded';
    this.#rows = el(
      'select',
      { id: 'row', disabled: rows.length === 0, onchange: () => onRow(this.#rows.value) },
      ...(rows.length === 0
        ? [el('option', {}, none)]
        : rows.map(({ id, label }) => el('option', { value: id }, label))),
    );
    this.#template = el('input', { type: 'checkbox', onchange: () => onTemplate(this.#template.checked) });
    this.element = el(
      'nav',
      { class: 'bar', 'aria-label': 'Rows, jumps and search' },
      el('label', { class: 'field' }, el('span', {}, 'Marks of'), this.#rows),
      el('div', { class: 'jumps', role: 'group', 'aria-label': 'Jump to' }, ...this.#buttons),
      search,
      el('label', { class: 'check' }, this.#template, ' Special tokens'),
      el('button', { type: 'button', onclick: onDrawAll, title: "for the browser's search" }, 'Draw all'),
      el('button', { type: 'button', 'aria-label': 'Keys and marks', onclick: onHelp }, '?'),
      status,
    );
    // what is jumped to has to come to lie below the bar, however many lines it takes
    new ResizeObserver(() => {
      document.documentElement.style.setProperty('--bar', `${this.element.offsetHeight}px`);
    }).observe(this.element);
    this.refresh();
  }

  get templateShown(): boolean {
    return this.#template.checked;
  }

  set templateShown(shown: boolean) {
    this.#template.checked = shown;
  }

  set row(id: string) {
    this.#rows.value = id;
  }

  /** Jumps that lead nowhere in the chosen row are off. */
  refresh(): void {
    this.#actions.forEach(({ places }, i) => {
      const button = this.#buttons[i];
      if (button !== undefined) button.disabled = places?.() === 0;
    });
  }
}
