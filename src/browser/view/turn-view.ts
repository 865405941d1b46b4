import { el } from '../common/dom.js';
import { count, counted } from '../common/numbers.js';
import { appendVisible } from '../common/visible-text.js';
import { blockView } from './block-view.js';
import { blocksOf } from './blocks.js';
import type { ViewTurn, ViewWindow } from './data.js';
import type { PageState, TurnState } from './page-state.js';

const OUTCOME_SIGNS: Readonly<Record<string, string>> = {
  error: '✕',
  no_submission: '○',
  below_medal: '▽',
  bronze: '▲',
  silver: '◆',
  gold: '★',
  ungraded: '?',
  infrastructure: '!',
};

export const outcomeSign = (outcome: string): string => OUTCOME_SIGNS[outcome] ?? '•';

export const outcomeName = (outcome: string): string => outcome.replaceAll('_', ' ');

export const rewardText = (reward: number | null): string =>
  reward === null ? 'pays nothing' : `reward ${reward > 0 ? '+' : ''}${reward.toFixed(1)}`;

/** One turn of the page: its head always, its body once it comes near the screen. */
export class TurnView {
  readonly element: HTMLElement;
  readonly #state: PageState;
  readonly #position: number;
  readonly #turn: ViewTurn;
  readonly #head: HTMLElement;
  readonly #body = el('div', { class: 'body' });
  readonly #foot = el('div', { class: 'foot' });
  #filled = false;
  #whole = false;

  constructor(state: PageState, position: number, turn: ViewTurn) {
    this.#state = state;
    this.#position = position;
    this.#turn = turn;
    this.#head = el('header', { class: 'head' });
    this.element = el(
      'article',
      { id: turn.anchor, class: 'turn', 'aria-labelledby': `${turn.anchor}-name` },
      ...state.data.windows
        .filter(({ first }) => first === position)
        .map((window) => windowLabel(window, state.data.windows.indexOf(window))),
      this.#head,
      this.#body,
      this.#foot,
    );
    this.element.style.containIntrinsicSize = `auto ${expectedHeight(turn)}px`;
    this.refresh();
  }

  get heading(): HTMLElement | null {
    return this.#head.querySelector('h3');
  }

  /** Draws it for the chosen row. */
  refresh(): void {
    const state = this.#state.turnState(this.#position);
    const { role } = this.#turn;
    const classes = ['turn', `role-${role.replaceAll(/\W/g, '-')}`];
    classes.push(state.absent === null ? 'held' : 'absent');
    if (state.absent?.startsWith('cut')) classes.push('cut');
    if (state.n_trained > 0) classes.push('has-trained');
    this.element.className = classes.join(' ');
    const [window] = this.#state.windowsAt.get(this.#position) ?? [];
    if (window !== undefined) this.element.dataset['outcome'] = window.outcome;
    this.#head.replaceChildren(...headOf(this.#turn, state));
    this.#foot.replaceChildren(...this.#anchorNote());
    if (this.#filled) {
      this.#filled = false;
      this.fill(this.#whole);
    }
  }

  /** Builds the body; `whole` with long texts to their end. */
  fill(whole = false): void {
    if (this.#filled && (this.#whole || !whole)) return;
    this.#filled = true;
    this.#whole = whole;
    this.#body.replaceChildren(
      ...blocksOf({
        turn: this.#turn,
        held: this.#state.turnState(this.#position).held,
        renderings: this.#state.data.renderings,
      }).map((block) => blockView(block, whole)),
    );
  }

  /** The elements of its blocks, in the order of `blocksOf`. */
  get blocks(): HTMLElement[] {
    return [...this.#body.children].filter((child) => child instanceof HTMLElement);
  }

  #anchorNote(): HTMLElement[] {
    const { row, anchor } = this.#state;
    if (row === null || anchor !== this.#position) return [];
    const cut =
      row.cut_turns === 0
        ? 'Nothing comes after it.'
        : `${counted(row.cut_turns, 'turn')} and ${counted(row.cut_tokens, 'token')} after it are cut.`;
    const score = row.anchor_score === null ? '' : ` Score ${row.anchor_score}.`;
    return [
      el('p', { class: 'anchor' }, el('strong', {}, '⚓ Anchor'), ` The prefix ends here.${score} ${cut}`),
    ];
  }
}

function headOf(turn: ViewTurn, { n_tokens, n_trained, absent }: TurnState): HTMLElement[] {
  const heading = el('h3', { id: `${turn.anchor}-name`, tabindex: '-1' }, `Turn ${turn.number} `);
  heading.append(el('span', { class: 'role' }, turn.role));
  const tokens =
    absent ?? `${counted(n_tokens, 'token')}, ${n_trained === 0 ? 'none' : count(n_trained)} trained`;
  const parts: HTMLElement[] = [heading];
  if (turn.name !== null) {
    const name = el('code', { class: 'name' });
    appendVisible(name, turn.name);
    parts.push(name);
  }
  parts.push(el('span', { class: 'tokens' }, tokens));
  for (const note of turn.notes) parts.push(el('span', { class: 'note' }, note));
  if (turn.time !== null) {
    const time = el('span', { class: 'time' });
    appendVisible(time, turn.time);
    parts.push(time);
  }
  parts.push(
    el('a', { class: 'link', href: `#${turn.anchor}`, 'aria-label': `Link to turn ${turn.number}` }, '#'),
  );
  return parts;
}

function windowLabel(window: ViewWindow, index: number): HTMLElement {
  const { outcome, score, scale, trend, reward, n_trained, why, execution } = window;
  const facts = [
    score === null ? null : `${score} (${scale})`,
    trend,
    rewardText(reward),
    `${counted(n_trained, 'token')} trained`,
  ].filter((fact) => fact !== null);
  const name = el('code', {});
  appendVisible(name, execution);
  const reason = el('span', { class: 'why' });
  appendVisible(reason, why);
  return el(
    'p',
    { class: 'window', 'data-outcome': outcome },
    el('strong', {}, `${outcomeSign(outcome)} Window ${index}: ${outcomeName(outcome)}`),
    ...facts.map((fact) => el('span', { class: 'fact' }, fact)),
    name,
    reason,
  );
}

/** A guess at its height in pixels, so that the scroll bar is about right before a turn is drawn. */
function expectedHeight({ spans }: ViewTurn): number {
  let height = 70;
  for (const { text } of spans) height += 40 + 20 * Math.min(34, Math.ceil(text.length / 95));
  return height;
}
