import { byId, el, pageData } from '../common/dom.js';
import { actionsOf, listenToKeys } from './actions.js';
import { Bar, pageHead } from './bar.js';
import type { ViewData } from './data.js';
import { helpDialog } from './help.js';
import { PageState } from './page-state.js';
import { SearchBox } from './search-box.js';
import { SidePanel } from './side-panel.js';
import { TurnColumn } from './turn-column.js';

const state = new PageState(pageData<ViewData>());
const column = new TurnColumn(state);
const search = new SearchBox(state, column);
const status = el('output', { class: 'unseen', 'aria-live': 'polite' });

const chooseRow = (id: string): void => {
  const { current } = column;
  state.choose(id);
  bar.row = id;
  column.refresh();
  panel.refresh();
  bar.refresh();
  search.forget();
  column.goTo(current);
  status.textContent = `marks of ${state.row?.label ?? 'no row'}`;
};

const showTemplate = (shown: boolean): void => {
  bar.templateShown = shown;
  document.body.classList.toggle('template-shown', shown);
};

const showHelp = (): void => dialog.showModal();

const actions = actionsOf({
  state,
  column,
  search,
  chooseNextRow: () => {
    const { rows } = state.data;
    const at = rows.findIndex(({ id }) => id === state.row?.id);
    const next = rows[(at + 1) % rows.length];
    if (next !== undefined) chooseRow(next.id);
  },
  toggleTemplate: () => showTemplate(!bar.templateShown),
  showHelp,
  say: (text) => {
    status.textContent = text;
  },
});
const dialog = helpDialog(actions);
const panel = new SidePanel(state, (position) => column.goTo(position));
const bar = new Bar({
  state,
  actions,
  search: search.element,
  status,
  onRow: chooseRow,
  onTemplate: showTemplate,
  onDrawAll: () => column.fillAll(true),
  onHelp: showHelp,
});

byId('app').replaceChildren(
  pageHead(state),
  bar.element,
  el('div', { class: 'columns' }, column.element, panel.element),
  dialog,
);
listenToKeys(actions);
addEventListener('hashchange', () => column.goToHash());
addEventListener('beforeprint', () => column.fillAll(false));
column.goToHash();
// the browser goes to the address on its own while it loads, and takes the focus away
addEventListener('load', () => requestAnimationFrame(() => column.goToHash()));
