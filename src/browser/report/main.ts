import { byId, el, pageData } from '../common/dom.js';
import type { ReportData } from './data.js';
import { buildHeader } from './header.js';
import { Page } from './page.js';
import { openForPrint } from './parts/disclosure.js';
import { mountSections } from './sections.js';

/** After a change of the window's width the charts are drawn anew, once it rests. */
const REST_MS = 150;

function start(): void {
  const page = new Page(pageData<ReportData>());
  const main = byId('main');
  byId('top').replaceChildren(...buildHeader(page));
  main.replaceChildren(el('p', { id: 'command', role: 'status' }));
  mountSections(page, main, byId('contents'));
  page.redraw();
  openForPrint(() => page.flush());
  let width = document.documentElement.clientWidth;
  let timer: ReturnType<typeof setTimeout> | undefined;
  window.addEventListener('resize', () => {
    if (document.documentElement.clientWidth === width) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      width = document.documentElement.clientWidth;
      page.redraw();
    }, REST_MS);
  });
}

start();
