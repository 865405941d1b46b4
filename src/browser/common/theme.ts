import { el } from './dom.js';

const THEMES = [
  ['', 'as the system'],
  ['light', 'light'],
  ['dark', 'dark'],
] as const;

/** A choice of light and dark. It lasts as long as the page is open: a page from a file stores nothing. */
export function themeControl(): HTMLElement {
  const select = el(
    'select',
    {
      onchange: () => {
        if (select.value === '') delete document.documentElement.dataset['theme'];
        else document.documentElement.dataset['theme'] = select.value;
      },
    },
    ...THEMES.map(([value, text]) => el('option', { value }, text)),
  );
  return el('label', { class: 'field' }, el('span', {}, 'Theme'), select);
}
