import { el } from '../common/dom.js';
import { appendVisible } from '../common/visible-text.js';
import type { PageState } from './page-state.js';
import { scoreChart } from './score-chart.js';
import { outcomeName, outcomeSign, rewardText } from './turn-view.js';

/** What stands beside the turns: scores, windows, the chosen row, and why things happened. */
export class SidePanel {
  readonly element: HTMLElement;
  readonly #state: PageState;
  readonly #jump: (position: number) => void;

  constructor(state: PageState, jump: (position: number) => void) {
    this.#state = state;
    this.#jump = jump;
    this.element = el('aside', { 'aria-label': 'About this run' });
    this.refresh();
  }

  /** Draws it for the chosen row; what the reader has closed stays closed. */
  refresh(): void {
    const closed = new Set(
      [...this.element.querySelectorAll('details:not([open]) > summary')].map((each) => each.textContent),
    );
    const { data, row } = this.#state;
    const chart = scoreChart(this.#state, this.#jump);
    const parts = [
      chart === null ? null : section('Scores', chart),
      data.windows.length === 0 ? null : section(`Windows (${data.windows.length})`, this.#windows()),
      row === null ? null : section('This row', factList(row.facts)),
      section('Why', factList(data.facts), textList(data.rules)),
      data.flags.length === 0 ? null : section('Flags', flagList(data.flags)),
    ].filter((part) => part !== null);
    for (const part of parts) part.open = !closed.has(part.querySelector('summary')?.textContent ?? '');
    this.element.replaceChildren(...parts);
  }

  #windows(): HTMLElement {
    const list = el('ol', { class: 'windows', start: 0 });
    this.#state.data.windows.forEach((window, index) => {
      const { outcome, score, trend, reward, first, last } = window;
      const turns = this.#state.data.turns;
      const range =
        first < 0 ? 'no turn of this page' : `turns ${turns[first]?.number} to ${turns[last]?.number}`;
      const parts = [score === null ? null : String(score), trend, rewardText(reward), range];
      list.append(
        el(
          'li',
          { 'data-outcome': outcome },
          el(
            'button',
            { type: 'button', disabled: first < 0, onclick: () => this.#jump(first) },
            el('strong', {}, `${index} ${outcomeSign(outcome)} ${outcomeName(outcome)}`),
            el('span', {}, parts.filter((part) => part !== null).join(' · ')),
          ),
        ),
      );
    });
    return list;
  }
}

function section(title: string, ...children: readonly HTMLElement[]): HTMLDetailsElement {
  return el('details', { open: true }, el('summary', {}, title), ...children);
}

function visible<K extends 'dd' | 'li' | 'span' | 'code'>(tag: K, text: string): HTMLElement {
  const element = el(tag);
  appendVisible(element, text);
  return element;
}

function factList(facts: readonly (readonly [string, string])[]): HTMLElement {
  const list = el('dl');
  for (const [label, text] of facts) list.append(el('dt', {}, label), visible('dd', text));
  return list;
}

function textList(lines: readonly string[]): HTMLElement {
  return el('ul', { class: 'rules' }, ...lines.map((line) => visible('li', line)));
}

function flagList(flags: readonly (readonly [string, string | null])[]): HTMLElement {
  const list = el('dl', { class: 'flags' });
  for (const [flag, meaning] of flags) {
    list.append(el('dt', {}, visible('code', flag)), visible('dd', meaning ?? ''));
  }
  return list;
}
