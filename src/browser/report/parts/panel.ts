import { el } from '../../common/dom.js';
import type { Page } from '../page.js';
import type { View } from '../view.js';
import { disclosure } from './disclosure.js';
import { type DataTable, tableOf } from './table.js';

/** Something that the reader may choose in a panel. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  /** value and text; the first is chosen */
  readonly options: (view: View) => readonly (readonly [string, string])[];
}

export interface LegendItem {
  readonly text: string;
  readonly colour: string;
  readonly mark?: 'area' | 'line' | 'dashes' | 'ring';
}

export interface Drawing {
  /** null where there is nothing to draw: then `sentence` says so */
  readonly chart: Element | null;
  /** what the chart shows, in words */
  readonly sentence: string;
  readonly legend?: readonly LegendItem[];
  /** what is left out */
  readonly note?: string | null;
  /** the same as numbers */
  readonly table: DataTable | null;
}

export interface DrawingRoom {
  readonly view: View;
  readonly page: Page;
  /** in pixels */
  readonly width: number;
  readonly chosen: Readonly<Record<string, string>>;
}

/** A chart with its title, its choices and its table. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly lead?: string;
  /** takes the whole width of the page */
  readonly isWide?: boolean;
  readonly choices?: readonly Choice[];
  readonly draw: (room: DrawingRoom) => Drawing;
}

/** Puts a panel into the page and draws it anew whenever what it shows has changed. */
export function mountPanel(panel: Panel, page: Page): HTMLElement {
  const title = el('h3', { id: `${panel.id}-title` }, panel.title);
  const selects = (panel.choices ?? []).map((choice) => {
    const select = el('select', { name: choice.name });
    const label = el('label', { class: 'field' }, el('span', {}, choice.label), select);
    return { choice, select, label };
  });
  const controls = selects.map(({ label }) => label);
  const body = el('div', { class: 'panel-body' });
  const frame = el(
    'article',
    { class: panel.isWide === true ? 'panel wide' : 'panel', id: panel.id, 'aria-labelledby': title.id },
    el(
      'div',
      { class: 'panel-head' },
      title,
      controls.length === 0 ? null : el('div', { class: 'fields' }, ...controls),
    ),
    panel.lead === undefined ? null : el('p', { class: 'lead' }, panel.lead),
    body,
  );
  // what the reader chose comes back once a filter lets it
  const wanted = new Map<string, string>();
  const draw = (): void => {
    const { view } = page;
    for (const { choice, select, label } of selects) {
      const options = choice.options(view);
      setOptions(select, options, wanted.get(choice.name));
      // one option is no choice
      label.hidden = options.length < 2;
    }
    const chosen = Object.fromEntries(selects.map(({ choice, select }) => [choice.name, select.value]));
    const width = Math.max(260, body.clientWidth || 640);
    body.replaceChildren(...parts(panel, panel.draw({ view, page, width, chosen })));
  };
  for (const { choice, select } of selects) {
    select.addEventListener('change', () => {
      wanted.set(choice.name, select.value);
      draw();
    });
  }
  page.onChange(frame, draw);
  return frame;
}

function parts(panel: Panel, { chart, sentence, legend = [], note, table }: Drawing): Node[] {
  if (chart === null) return [el('p', { class: 'empty' }, sentence)];
  const items = legend.map(({ text, colour, mark = 'area' }) => {
    const key = el('span', { class: `key ${mark}`, 'aria-hidden': 'true' });
    key.style.setProperty('--key', colour);
    return el('li', {}, key, text);
  });
  return [
    ...(items.length === 0 ? [] : [el('ul', { class: 'legend', 'aria-label': 'Legend' }, ...items)]),
    el('figure', {}, chart, el('figcaption', {}, sentence)),
    ...(note == null ? [] : [el('p', { class: 'note' }, note)]),
    ...(table === null
      ? []
      : [
          disclosure({
            id: `${panel.id}-table`,
            summary: `${panel.title} as a table`,
            build: () => tableOf(table),
          }),
        ]),
  ];
}

/** New options only where they differ: a list that is open must not be pulled away. */
function setOptions(
  select: HTMLSelectElement,
  options: readonly (readonly [string, string])[],
  wanted: string | undefined,
): void {
  const key = JSON.stringify(options);
  if (select.dataset['options'] === key) return;
  select.dataset['options'] = key;
  select.replaceChildren(...options.map(([value, text]) => el('option', { value }, text)));
  if (wanted !== undefined && options.some(([value]) => value === wanted)) select.value = wanted;
}
