import { el } from '../common/dom.js';
import type { Action } from './actions.js';

const MARKS: readonly (readonly [string, string])[] = [
  ['trained', 'Trained: loss falls on these tokens. Underlined, and a bar stands beside them.'],
  ['untrained', 'Not trained: the model sees it as context.'],
  ['split', 'A character of which only some bytes are trained.'],
  ['sign', 'A character that cannot be seen, or that would turn the text around, by its code.'],
];

/** The dialog with keys and marks. */
export function helpDialog(actions: readonly Action[]): HTMLDialogElement {
  const dialog = el('dialog', { 'aria-labelledby': 'help-title' });
  const keys = el('dl', { class: 'keys' });
  for (const { keys: names, name } of actions) {
    keys.append(
      el('dt', {}, ...names.flatMap((key, i) => [i === 0 ? '' : ' ', el('kbd', {}, key)])),
      el('dd', {}, name),
    );
  }
  const marks = el('ul', { class: 'marks' });
  for (const [name, meaning] of MARKS) marks.append(el('li', {}, sample(name), el('span', {}, meaning)));
  dialog.append(
    el('h2', { id: 'help-title' }, 'Keys and marks'),
    keys,
    marks,
    el(
      'p',
      { class: 'muted' },
      "Marks come from the ids and the mask of the chosen row, decoded with the run's tokenizer. Only turns near the " +
        "screen are drawn, so the browser's own search does not see the others: use the search box, or draw all first.",
    ),
    el('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Close'),
  );
  return dialog;
}

function sample(name: string): HTMLElement {
  switch (name) {
    case 'trained':
      return el('mark', { class: 'trained' }, 'text');
    case 'sign':
      return el('span', { class: 'sign' }, '⟨U+202E⟩');
    default:
      return el('span', { class: name }, 'text');
  }
}
