import { el } from '../common/dom.js';
import type { PageQuestion, PageView } from './data.js';

interface QuestionList {
  readonly element: HTMLElement;
  /** Shows which question the editor holds; null for none of them. */
  mark(question: PageQuestion | null): void;
}

/** The named questions, as buttons that put one into the editor. */
export function questionList(
  questions: readonly PageQuestion[],
  choose: (question: PageQuestion) => void,
): QuestionList {
  const buttons = questions.map((question) =>
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
  );
  return {
    element: el(
      'nav',
      { 'aria-label': 'Named questions' },
      el('h2', {}, 'Questions'),
      el('ul', { class: 'plain' }, ...buttons.map((button) => el('li', {}, button))),
    ),
    mark: (question) => {
      for (const [i, button] of buttons.entries()) {
        if (questions[i] === question) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
      }
    },
  };
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
