import { groupBy } from '../../../report/stats/groups.js';
import { el } from '../../common/dom.js';
import { count, counted } from '../../common/numbers.js';
import type { Page } from '../page.js';
import { tableOf } from '../parts/table.js';
import type { View } from '../view.js';

const DECISIONS = ['kept', 'filtered', 'duplicate'] as const;

/** Which formats were read, by which version of their adapter, and what became of them. */
export function formatTable(page: Page): HTMLElement {
  const host = el('div');
  const title = el('h3', { id: 'formats-title' }, 'Formats and adapters');
  const frame = el(
    'article',
    { class: 'panel wide', id: 'formats', 'aria-labelledby': title.id },
    title,
    host,
  );
  page.onChange(frame, () => {
    const rows = rowsOf(page.view);
    host.replaceChildren(
      rows.length === 0
        ? el('p', { class: 'empty' }, 'Nothing of a known format was read.')
        : tableOf({
            caption: `What was read, by format, and what became of it${heldBack(page)}`,
            columns: [
              { title: 'format' },
              { title: 'adapter' },
              ...['read', ...DECISIONS, 'rejected'].map((title) => ({ title, isNumber: true })),
            ],
            rows: rows.map(({ format, adapter, counts }) => [
              format,
              adapter,
              ...counts.map((n) => ({ text: count(n), value: n })),
            ]),
          }),
    );
  });
  return frame;
}

/** The page does not hold all rejected records of a large corpus, and none of one without its run folder. */
function heldBack({ view }: Page): string {
  const left = view.rejected - view.rejects.length;
  return left <= 0 ? '' : `; without ${counted(left, 'rejected record')} that the page does not hold`;
}

function rowsOf({ trajectories, rejects }: View) {
  const decided = trajectories.filter(({ decision }) => decision !== 'rejected');
  const own = groupBy(decided, (row) => row.source_format);
  const refused = groupBy(rejects, (row) => row.format ?? 'not known');
  const versions = groupBy(trajectories, (row) => row.source_format);
  return [...new Set([...own.keys(), ...refused.keys()])]
    .map((format) => {
      const rows = own.get(format) ?? [];
      const rejected = refused.get(format)?.length ?? 0;
      const adapters = new Set((versions.get(format) ?? []).map((row) => row.adapter_version));
      const counts = DECISIONS.map((name) => rows.filter(({ decision }) => decision === name).length);
      return {
        format,
        adapter: [...adapters].join(', ') || '–',
        counts: [rows.length + rejected, ...counts, rejected],
      };
    })
    .sort((a, b) => (b.counts[0] ?? 0) - (a.counts[0] ?? 0));
}
