import { byId, el, pageData } from '../common/dom.js';
import { themeControl } from '../common/theme.js';
import { type Asked, askPage, type DownloadFormat, download } from './ask.js';
import type { PageQuestion, QueryPageData } from './data.js';
import { ParameterFields } from './parameter-fields.js';
import { resultTable, rowsText } from './result-table.js';
import { questionList, viewList } from './side-lists.js';

const data = pageData<QueryPageData>();
const fields = new ParameterFields();
let chosen: PageQuestion | null = null;
let running: AbortController | null = null;

const editor = el('textarea', {
  id: 'sql',
  rows: 14,
  spellcheck: 'false',
  autocomplete: 'off',
  autocapitalize: 'off',
  'aria-describedby': 'hint',
  oninput: edited,
  onkeydown: (event) => {
    if (event instanceof KeyboardEvent && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void run();
    }
  },
});
const heading = el('h2', { id: 'question' }, 'SQL');
const description = el('p', { id: 'description', class: 'muted' });
const questions = questionList(data.questions, choose);
const status = el('p', { id: 'status', role: 'status' });
const fault = el('p', { id: 'fault', role: 'alert' });
const result = el('div', { id: 'result', role: 'region', 'aria-label': 'Result', tabindex: 0 });
const runButton = el('button', { id: 'run', type: 'submit', class: 'primary' }, 'Run');
const stopButton = el(
  'button',
  { id: 'stop', type: 'button', disabled: true, onclick: () => running?.abort() },
  'Stop',
);
const downloads = (['csv', 'json', 'parquet'] as const).map((format) =>
  el(
    'button',
    { type: 'button', 'data-format': format, onclick: () => void save(format) },
    format === 'parquet' ? 'Parquet' : format.toUpperCase(),
  ),
);

/** Says what is in the editor: a named question as it was read, or SQL of the reader's own. */
function head(): void {
  const question = chosen !== null && chosen.sql === editor.value ? chosen : null;
  heading.textContent = question?.title ?? 'SQL of your own';
  description.textContent = question?.description ?? '';
  questions.mark(question);
}

function edited(): void {
  fields.show(editor.value);
  head();
}

function choose(question: PageQuestion): void {
  chosen = question;
  editor.value = question.sql;
  head();
  fields.show(question.sql, question.parameters);
  // the address names the question, so that it can be kept
  history.replaceState(null, '', `#${question.name}`);
  editor.focus();
  editor.setSelectionRange(0, 0);
  editor.scrollTop = 0;
}

function insert(name: string): void {
  editor.setRangeText(name, editor.selectionStart, editor.selectionEnd, 'end');
  edited();
  editor.focus();
}

/** What the editor asks: a named question as it is, or SQL. */
function asked(): Asked {
  const sql = editor.value;
  if (chosen !== null && chosen.sql === sql) return { question: chosen.name, parameters: fields.typed() };
  return { sql, parameters: fields.values(sql) };
}

/** One piece of work at a time; its fault is shown as the line that it is. */
async function work(doing: string, task: (signal: AbortSignal) => Promise<string>): Promise<void> {
  if (running !== null) return;
  running = new AbortController();
  const { signal } = running;
  runButton.disabled = true;
  stopButton.disabled = false;
  fault.textContent = '';
  status.textContent = doing;
  try {
    status.textContent = await task(signal);
  } catch (error) {
    status.textContent = signal.aborted ? 'Stopped' : '';
    if (!signal.aborted) fault.textContent = error instanceof Error ? error.message : String(error);
  } finally {
    running = null;
    runButton.disabled = false;
    stopButton.disabled = true;
  }
}

function run(): Promise<void> {
  return work('Running …', async (signal) => {
    const start = performance.now();
    result.replaceChildren();
    const page = await askPage(asked(), signal);
    result.replaceChildren(resultTable(page));
    return rowsText(page, (performance.now() - start) / 1000);
  });
}

function save(format: DownloadFormat): Promise<void> {
  return work('Preparing the download …', async (signal) => {
    await download(asked(), format, signal);
    return `Saved as ${format.toUpperCase()}`;
  });
}

byId('app').replaceChildren(
  el('a', { class: 'skip', href: '#sql' }, 'To the editor'),
  el(
    'header',
    { class: 'title' },
    el('h1', {}, 'Query'),
    el('nav', { 'aria-label': 'Pages' }, el('a', { href: '/' }, 'Report')),
    themeControl(),
  ),
  el(
    'div',
    { class: 'columns' },
    el('aside', {}, questions.element, viewList(data.views, insert)),
    el(
      'main',
      {},
      el(
        'form',
        {
          onsubmit: (event) => {
            event.preventDefault();
            void run();
          },
        },
        heading,
        description,
        fields.element,
        el('label', { for: 'sql' }, 'SQL'),
        editor,
        el(
          'p',
          { id: 'hint', class: 'muted' },
          `One SELECT in the dialect of DuckDB, over this corpus only. Ctrl+Enter runs it; it is stopped after ${data.seconds} s, and the first ${data.rows} rows are shown.`,
        ),
        el(
          'div',
          { class: 'actions' },
          runButton,
          stopButton,
          el('span', { class: 'muted' }, 'Download:'),
          ...downloads,
        ),
      ),
      status,
      fault,
      result,
    ),
  ),
);

const named = (): PageQuestion | undefined => data.questions.find(({ name }) => `#${name}` === location.hash);
addEventListener('hashchange', () => {
  const question = named();
  if (question !== undefined) choose(question);
});
const first = named() ?? data.questions[0];
if (first !== undefined) choose(first);
