import { byCodeUnit, countBy, UNKNOWN } from '../../report/stats/groups.js';
import { el } from '../common/dom.js';
import { count, counted } from '../common/numbers.js';
import { themeControl } from '../common/theme.js';
import type { PageFacts } from './facts.js';
import { words } from './names.js';
import type { Page } from './page.js';
import { bestOutcome, type Filters, OUTCOME_ORDER } from './view.js';

type FilterName = keyof Filters;

/** The title, the filters, and how much of the corpus they let through. */
export function buildHeader(page: Page): Node[] {
  const selects = new Map<FilterName, HTMLSelectElement>(
    (['task', 'model', 'scaffold', 'outcome'] as const).map((name) => [
      name,
      el(
        'select',
        { name, id: `filter-${name}`, onchange: apply },
        el('option', { value: '' }, `all ${name}s`),
      ),
    ]),
  );
  for (const name of ['task', 'model', 'scaffold'] as const) {
    selects
      .get(name)
      ?.append(...namesOf(page, name).map(([value, n]) => option(value, `${value} (${count(n)})`)));
  }
  selects.get('outcome')?.append(...outcomeOptions(page));
  const status = el('p', { id: 'shown', role: 'status' });
  const reset = el('button', { type: 'button', id: 'reset', onclick: clear }, 'Clear filters');

  function apply(): void {
    const chosen = (name: FilterName): string | null => selects.get(name)?.value || null;
    page.filter({
      task: chosen('task'),
      model: chosen('model'),
      scaffold: chosen('scaffold'),
      outcome: chosen('outcome'),
    });
  }
  function clear(): void {
    for (const select of selects.values()) select.value = '';
    apply();
    selects.get('task')?.focus();
  }
  page.onChange(status, () => {
    status.textContent = shownText(page);
    reset.disabled = !page.view.isFiltered;
  });
  const fields = [...selects].map(([name, select]) =>
    el('label', { class: 'field' }, el('span', {}, name[0]?.toUpperCase() + name.slice(1)), select),
  );
  const { plan_id: plan } = page.data;
  return [
    el(
      'div',
      { class: 'title' },
      el('h1', {}, 'Corpus report'),
      el('p', { class: 'muted' }, 'Plan ', el('code', { title: plan }, plan.slice(0, 16))),
      themeControl(),
    ),
    el(
      'form',
      {
        class: 'filters',
        role: 'search',
        'aria-label': 'Filters',
        onsubmit: (event) => event.preventDefault(),
      },
      ...fields,
      reset,
      status,
    ),
  ];
}

function shownText({ view, whole, data }: Page): string {
  const shown = count(decided(view).length);
  const of = counted(decided(whole).length, 'trajectory', 'trajectories');
  const sample = data.sample === null ? '' : ` (a sample: the corpus has ${count(data.sample.of)})`;
  const rejected =
    data.rejected === 0 ? '' : ` and ${count(view.rejected)} of ${counted(data.rejected, 'rejected record')}`;
  return `Shown: ${shown} of ${of}${sample}${rejected}`;
}

/** Trajectories that are no rejected records: those are counted on their own, with all that never became one. */
const decided = ({ trajectories }: PageFacts) =>
  trajectories.filter(({ decision }) => decision !== 'rejected');

const option = (value: string, text: string): HTMLOptionElement => el('option', { value }, text);

/** Names with how much was read of them, the most frequent first. */
function namesOf({ all }: Page, name: 'task' | 'model' | 'scaffold'): [string, number][] {
  const column = name === 'task' ? 'task_id' : name;
  const counts = countBy([...decided(all), ...all.rejects], (row) => row[column] ?? UNKNOWN);
  return [...counts].sort(([a, m], [b, n]) => n - m || byCodeUnit(a, b));
}

function outcomeOptions({ all }: Page): HTMLElement[] {
  const best = all.runs.map(({ windows }) => bestOutcome(windows));
  const any = all.runs.map(({ windows }) => new Set(windows.map(({ outcome }) => outcome)));
  const order = [...OUTCOME_ORDER].reverse();
  const bestOptions = [...order, 'none' as const]
    .filter((outcome) => outcome === 'none' || best.includes(outcome))
    .map((outcome) =>
      option(`best:${outcome}`, outcome === 'none' ? 'no window at all' : `best is ${words(outcome)}`),
    );
  const anyOptions = order
    .filter((outcome) => any.some((own) => own.has(outcome)))
    .map((outcome) => option(`any:${outcome}`, `a window is ${words(outcome)}`));
  return [
    el('optgroup', { label: 'Best outcome of the trajectory' }, ...bestOptions),
    ...(anyOptions.length === 0
      ? []
      : [el('optgroup', { label: 'Any outcome of its windows' }, ...anyOptions)]),
  ];
}
