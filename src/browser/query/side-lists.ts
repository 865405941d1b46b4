import { el } from '../common/dom.js';
import type { PageQuestion, PageView } from './data.js';

/** The named questions, as buttons that put one into the editor. */
export function questionList(
  questions: readonly PageQuestion[],
  choose: (question: PageQuestion) => void,
): HTMLElement {
  const items = questions.map((question) =>
    el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button',
          'data-question': question.name,
          title: question.description,
          onclick: () => choose(question),
        },
        question.title,
      ),
    ),
  );
  return el(
    'nav',
    { 'aria-label': 'Named questions' },
    el('h2', {}, 'Questions'),
    el('ul', { class: 'plain' }, ...items),
  );
}

/** Every view with its columns; a column's button puts its name into the editor. */
export function viewList(views: readonly PageView[], insert: (name: string) => void): HTMLElement {
  const items = views.map(({ name, doc, columns }) =>
    el(
      'details',
      { 'data-view': name },
      el('summary', {}, el('code', {}, name)),
      el('p', { class: 'muted' }, doc),
      el(
        'dl',
        {},
        ...columns.flatMap((column) => [
          el(
            'dt',
            {},
            el(
              'button',
              {
                type: 'button',
                class: 'name',
                title: 'Put into the editor',
                onclick: () => insert(column.name),
              },
              column.name,
            ),
            el('span', { class: 'muted' }, ` ${column.type}`),
          ),
          el('dd', {}, column.doc),
        ]),
      ),
    ),
  );
  return el('section', { 'aria-label': 'Tables and columns' }, el('h2', {}, 'Tables'), ...items);
}
