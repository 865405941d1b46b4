import { countBy } from '../../../report/stats/groups.js';
import { count, counted, percent } from '../../common/numbers.js';
import { words } from '../names.js';
import { type Bar, barChart } from '../parts/bar-chart.js';
import type { Panel } from '../parts/panel.js';

/** Mask proofs over the training rows, and what the rows say of their masks. */
export const proofPanel: Panel = {
  id: 'proofs-chart',
  title: 'Mask proofs that held',
  lead: 'Each training row is proven before it is written; one that fails a proof is rejected.',
  isWide: true,
  draw: ({ view, width }) => {
    const { rows } = view;
    if (rows.length === 0) {
      return {
        chart: null,
        sentence: 'These trajectories have no training rows, so there is no mask to prove.',
        table: null,
      };
    }
    const sums: { kind: string; counts: Map<string, number>; colour: string }[] = [
      {
        kind: 'proof held',
        counts: countBy(
          rows.flatMap((row) => row.proofs),
          String,
        ),
        colour: 'var(--c3)',
      },
      {
        kind: 'ids differ from the template because',
        counts: countBy(
          rows.flatMap((row) => row.ids_differ_because),
          String,
        ),
        colour: 'var(--c5)',
      },
      { kind: 'mask policy', counts: countBy(rows, (row) => row.mask_policy), colour: 'var(--c1)' },
      { kind: 'split', counts: countBy(rows, (row) => row.split), colour: 'var(--c6)' },
    ];
    const bars = sums.flatMap(({ kind, counts, colour }) =>
      [...counts].map(([name, n]): Bar & { readonly kind: string } => ({
        id: `${kind}/${name}`,
        kind,
        name: kind === 'proof held' ? words(name) : `${kind}: ${words(name)}`,
        n,
        colour,
        label: `${count(n)} of ${count(rows.length)}`,
        text: `${kind}: ${words(name)}\n${count(n)} of ${counted(rows.length, 'row')}`,
      })),
    );
    const sentence = `How many of ${counted(rows.length, 'training row')} each proof held for, and what else they say of their masks.`;
    return {
      chart: barChart({ bars, width, label: sentence, xLabel: 'training rows →' }),
      sentence,
      table: {
        caption: 'Training rows by proof, reason, policy and split',
        columns: [
          { title: 'what' },
          { title: 'name' },
          { title: 'rows', isNumber: true },
          { title: 'share', isNumber: true },
        ],
        rows: bars.map(({ kind, id, n }) => [
          kind,
          id.slice(kind.length + 1),
          { text: count(n), value: n },
          { text: percent(n / rows.length), value: n / rows.length },
        ]),
      },
    };
  },
};
