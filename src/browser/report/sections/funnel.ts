import { count, counted, percent } from '../../common/numbers.js';
import { words } from '../names.js';
import { barChart } from '../parts/bar-chart.js';
import type { Panel } from '../parts/panel.js';
import type { View } from '../view.js';

interface Bar {
  /** `kept`, `filtered/<reason>`, ... */
  readonly id: string;
  readonly decision: string;
  readonly name: string;
  readonly n: number;
}

const DECISIONS = ['kept', 'filtered', 'duplicate', 'rejected'] as const;
const COLOURS: Readonly<Record<string, string>> = {
  read: 'var(--c8)',
  kept: 'var(--c3)',
  filtered: 'var(--c1)',
  duplicate: 'var(--c6)',
  rejected: 'var(--c2)',
};

/** What became of what was read: each decision, and under it each reason, the most frequent first. */
export function funnelBars(view: View): Bar[] {
  const bars: Bar[] = [];
  for (const decision of DECISIONS) {
    const reasons = new Map<string, number>();
    if (decision === 'rejected')
      for (const [code, n] of Object.entries(view.facts.rejects)) reasons.set(code, n);
    else {
      for (const row of view.trajectories) {
        if (row.decision !== decision) continue;
        const reason = row.reason ?? '';
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    const sorted = [...reasons].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    for (const [reason, n] of sorted) {
      if (n > 0)
        bars.push({ id: `${decision}/${reason}`, decision, name: reason === '' ? decision : reason, n });
    }
  }
  return bars;
}

export const funnelPanel: Panel = {
  id: 'funnel-chart',
  title: 'From read to kept',
  isWide: true,
  draw: ({ view, page, width }) => {
    const bars = funnelBars(view);
    const read = bars.reduce((sum, { n }) => sum + n, 0);
    if (read === 0)
      return { chart: null, sentence: 'Nothing was read, so nothing was kept or refused.', table: null };
    const meaning = (name: string): string => page.data.meanings[name] ?? '';
    const all = [{ id: 'read', decision: 'read', name: 'read', n: read }, ...bars].map((bar) => ({
      ...bar,
      name: words(bar.name),
      colour: COLOURS[bar.decision] ?? '',
      label: `${count(bar.n)}  ${percent(bar.n / read)}`,
      text: [`${words(bar.name)}: ${count(bar.n)} of ${count(read)}`, meaning(bar.name)].join('\n').trim(),
    }));
    const kept = bars.find(({ decision }) => decision === 'kept')?.n ?? 0;
    const sentence = `Of ${counted(read, 'trajectory or record', 'trajectories and records')} read, ${count(kept)} ${kept === 1 ? 'was' : 'were'} kept.`;
    return {
      chart: barChart({ bars: all, width, label: sentence, xLabel: 'trajectories and records →' }),
      sentence,
      legend: [...new Set(bars.map(({ decision }) => decision))].map((decision) => ({
        text: decision,
        colour: COLOURS[decision] ?? '',
      })),
      table: {
        caption: 'What became of what was read, by reason',
        columns: [
          { title: 'reason' },
          { title: 'decision' },
          { title: 'count', isNumber: true },
          { title: 'share', isNumber: true },
          { title: 'meaning' },
        ],
        rows: bars.map(({ decision, name, n }) => [
          name,
          decision,
          { text: count(n), value: n },
          { text: percent(n / read), value: n / read },
          meaning(name),
        ]),
      },
    };
  },
};
