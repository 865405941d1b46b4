import { byId, el, pageData } from '../common/dom.js';
import { count, counted } from '../common/numbers.js';
import { themeControl } from '../common/theme.js';
import { appendVisible } from '../common/visible-text.js';
import type { DiffData, DiffRow, DiffRowHead, DiffTrajectory } from './data.js';
import { turnPair } from './turn-pair.js';

const data = pageData<DiffData>();

const text = <K extends 'p' | 'td' | 'code' | 'span'>(
  tag: K,
  words: string,
  name: string | null = null,
): HTMLElementTagNameMap[K] => {
  const element = el(tag, { class: name });
  appendVisible(element, words);
  return element;
};

function settings(): HTMLElement | null {
  if (data.settings === null) {
    return el('p', { class: 'muted' }, 'The plan of one of them is not at hand: settings are not compared.');
  }
  if (data.settings.length === 0) return el('p', { class: 'muted' }, 'The plans are the same.');
  const body = el('tbody');
  for (const { path, a, b } of data.settings) {
    body.append(el('tr', {}, el('th', { scope: 'row' }, path), text('td', a), text('td', b)));
  }
  const head = el('tr', {}, ...['setting', 'A', 'B'].map((title) => el('th', { scope: 'col' }, title)));
  return el(
    'details',
    { open: data.settings.length < 12 },
    el('summary', {}, counted(data.settings.length, 'setting differs', 'settings differ')),
    el('table', {}, el('thead', {}, head), body),
  );
}

function trajectory(each: DiffTrajectory): HTMLElement {
  const { trajectory_id: id, task, a, b, unmarked, rows, same_rows } = each;
  return el(
    'section',
    { class: 'trajectory', id: `t-${id}` },
    el('h2', {}, el('code', {}, id.slice(0, 12)), ' ', text('span', task ?? 'unknown task')),
    a === b ? null : text('p', `${a} in A, ${b} in B`, 'decided'),
    unmarked === null ? null : text('p', `Rows cannot be decoded: ${unmarked}`, 'decided'),
    ...rows.map(row),
    same_rows === 0
      ? null
      : el('p', { class: 'muted' }, counted(same_rows, 'row is the same', 'rows are the same')),
  );
}

/** A row as a closed box: its turns are built when it is opened. One that a side does not have is a line. */
function row(each: DiffRow): HTMLElement {
  const { a, b, turns, same_turns, only_a, only_b } = each;
  const label = a?.label ?? b?.label ?? '';
  const title = a !== null && b !== null && a.label !== b.label ? `${a.label} → ${b.label}` : label;
  if (a === null || b === null) {
    return el(
      'div',
      { class: 'row one-sided' },
      el('strong', {}, title),
      el('span', { class: 'numbers' }, a === null ? `only in B: ${numbers(b)}` : `only in A: ${numbers(a)}`),
    );
  }
  const body = el('div', { class: 'turns' });
  const box = el(
    'details',
    { class: 'row' },
    el(
      'summary',
      {},
      el('strong', {}, title),
      el('span', { class: 'numbers' }, `A: ${numbers(a)}`),
      el('span', { class: 'numbers' }, `B: ${numbers(b)}`),
      el('span', { class: 'muted' }, counted(turns.length, 'turn differs', 'turns differ')),
    ),
    body,
  );
  const fill = (): void => {
    if (body.childElementCount > 0) return;
    for (const [name, only] of [
      ['A', only_a],
      ['B', only_b],
    ] as const) {
      if (only.length > 0)
        body.append(el('p', {}, `Only ${name} holds ${counted(only.length, 'turn')}: ${only.join(', ')}.`));
    }
    body.append(
      el(
        'div',
        { class: 'sides heads', 'aria-hidden': 'true' },
        el('strong', {}, 'A'),
        el('strong', {}, 'B'),
      ),
      ...turns.map(turnPair),
    );
    if (same_turns > 0)
      body.append(el('p', { class: 'muted' }, counted(same_turns, 'turn is the same', 'turns are the same')));
  };
  box.addEventListener('toggle', fill);
  return box;
}

const numbers = (head: DiffRowHead | null): string =>
  head === null ? 'not there' : `${count(head.n_tokens)} tokens, ${count(head.n_trained)} trained`;

const left = data.left_out === 0 ? '' : ` ${count(data.left_out)} more may differ and are not on this page.`;
byId('app').replaceChildren(
  el(
    'header',
    { class: 'page' },
    themeControl(),
    el('h1', {}, 'What is trained differently'),
    el('p', {}, 'A ', text('code', data.a)),
    el('p', {}, 'B ', text('code', data.b)),
    el(
      'p',
      { class: 'muted' },
      `${counted(data.trajectories.length, 'trajectory differs', 'trajectories differ')}, ${count(data.same)} are the same.${left} ` +
        'Trained text is underlined; what differs is framed.',
    ),
  ),
  el(
    'main',
    { id: 'rows', tabindex: '-1' },
    ...[settings()].filter((part) => part !== null),
    ...data.trajectories.map(trajectory),
  ),
);
const [first] = document.querySelectorAll<HTMLDetailsElement>('details.row');
if (first !== undefined) first.open = true;
const openAll = (): void => {
  for (const box of document.querySelectorAll('details')) box.open = true;
};
addEventListener('beforeprint', openAll);
