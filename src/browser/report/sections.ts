import { STATS_SECTIONS } from '../../report/stats/corpus-stats.js';
import { el } from '../common/dom.js';
import { counted } from '../common/numbers.js';
import { OUTCOME_COLOURS, words } from './names.js';
import type { Page } from './page.js';
import { disclosure } from './parts/disclosure.js';
import { comparisonPanel, profilePanel } from './parts/figure-panel.js';
import { figureTable } from './parts/figure-text.js';
import { mountPanel, type Panel } from './parts/panel.js';
import { tableOf } from './parts/table.js';
import { secondBudgets, turnBudgets } from './sections/budgets.js';
import { formatTable } from './sections/formats.js';
import { funnelPanel } from './sections/funnel.js';
import { tokenLengths, trainedShares } from './sections/lengths.js';
import { lineageParts } from './sections/lineage.js';
import { proofPanel } from './sections/proofs.js';
import { recordLists } from './sections/record-lists.js';
import { rewardGroups, rewardHistogram } from './sections/rewards.js';
import { scorePanel } from './sections/scores.js';
import { summaryTiles } from './sections/summary.js';
import { outcomeTransitions, trendTransitions } from './sections/transitions.js';
import { POLICY } from './view.js';

type Part = Panel | ((page: Page) => HTMLElement);

interface Section {
  readonly id: string;
  /** as it stands in the list of sections */
  readonly name: string;
  readonly title: string;
  readonly parts: readonly Part[];
  /** sections of the statistics whose figures are listed whole under it */
  readonly stats: readonly string[];
}

const TITLES = new Map([
  ...STATS_SECTIONS.map(({ name, title }) => [name, title] as const),
  [POLICY, 'The policy that sampled the tokens'],
]);
const titleOf = (name: string): string => TITLES.get(name) ?? name;

const NO_EXECUTIONS = 'None of these trajectories launched an experiment.';

/** The page from top to bottom. */
export const SECTIONS: readonly Section[] = [
  { id: 'summary', name: 'Summary', title: 'Summary', parts: [summaryTiles], stats: [] },
  {
    id: 'funnel',
    name: 'Read to kept',
    title: titleOf('funnel'),
    parts: [funnelPanel, recordLists],
    stats: ['funnel'],
  },
  {
    id: 'outcomes',
    name: 'Outcomes',
    title: titleOf('outcomes'),
    parts: [
      profilePanel({
        id: 'outcomes-chart',
        section: 'outcomes',
        title: 'Outcomes of windows',
        empty: 'These trajectories have no execution windows.',
        nameOf: words,
        colourOf: (name) => OUTCOME_COLOURS[name as keyof typeof OUTCOME_COLOURS],
      }),
      outcomeTransitions,
      trendTransitions,
    ],
    stats: ['outcomes', 'transitions'],
  },
  {
    id: 'rewards',
    name: 'Rewards',
    title: titleOf('rewards'),
    parts: [
      rewardHistogram,
      rewardGroups,
      comparisonPanel({
        id: 'rewards-chart',
        section: 'rewards',
        title: 'Paid windows and mean reward',
        empty: 'No window of these trajectories pays a reward.',
      }),
    ],
    stats: ['rewards'],
  },
  { id: 'scores', name: 'Scores', title: 'Scores and what selection kept', parts: [scorePanel], stats: [] },
  {
    id: 'budgets',
    name: 'Budgets',
    title: titleOf('budgets'),
    parts: [turnBudgets, secondBudgets],
    stats: ['budgets'],
  },
  {
    id: 'speed',
    name: 'Speed',
    title: titleOf('speed'),
    parts: [
      comparisonPanel({
        id: 'speed-chart',
        section: 'speed',
        title: 'How soon a submission comes',
        empty: NO_EXECUTIONS,
      }),
    ],
    stats: ['speed'],
  },
  {
    id: 'executions',
    name: 'Executions',
    title: titleOf('executions'),
    parts: [
      comparisonPanel({
        id: 'executions-chart',
        section: 'executions',
        title: 'Time and endings of executions',
        empty: 'These trajectories ran nothing whose time is known.',
      }),
    ],
    stats: ['executions'],
  },
  {
    id: 'validation-gap',
    name: 'Validation gap',
    title: titleOf('validation_gap'),
    parts: [
      comparisonPanel({
        id: 'validation-gap-chart',
        section: 'validation_gap',
        title: 'Validation score less test score',
        lead: 'Positive where the own split of the agent flatters.',
        empty: 'No execution of these trajectories has both a validation and a test score.',
      }),
    ],
    stats: ['validation_gap'],
  },
  {
    id: 'hacking',
    name: 'Reward hacking',
    title: titleOf('hacking'),
    parts: [
      comparisonPanel({
        id: 'hacking-chart',
        section: 'hacking',
        title: 'How often each sign is seen',
        empty: 'There is nothing in these trajectories that could be a sign.',
      }),
    ],
    stats: ['hacking'],
  },
  {
    id: 'win-rate',
    name: 'Win rates',
    title: titleOf('win_rate'),
    parts: [
      comparisonPanel({
        id: 'win-rate-chart',
        section: 'win_rate',
        title: 'Win rates',
        lead: 'The first model against the second on the tasks that both ran; n is the number of tasks.',
        empty: 'No two models ran the same task of a known record.',
      }),
    ],
    stats: ['win_rate'],
  },
  {
    id: 'tokens',
    name: 'Tokens',
    title: 'Tokens, masks and what was cut off',
    parts: [
      tokenLengths,
      trainedShares,
      comparisonPanel({
        id: 'cut-chart',
        isWide: true,
        section: 'cut',
        title: titleOf('cut'),
        empty: 'Nothing was selected, so nothing was cut off.',
      }),
      proofPanel,
    ],
    stats: ['cut'],
  },
  {
    id: 'composition',
    name: 'Composition',
    title: titleOf('composition'),
    parts: [
      profilePanel({
        id: 'composition-chart',
        section: 'composition',
        title: 'Share of kept trajectories',
        isRanked: true,
        isWide: true,
        empty: 'No trajectory was kept.',
      }),
      formatTable,
    ],
    stats: ['composition'],
  },
  {
    id: 'flags',
    name: 'Flags',
    title: titleOf('flags'),
    parts: [
      profilePanel({
        id: 'flags-chart',
        section: 'flags',
        title: 'Share that carries each flag',
        isRanked: true,
        empty: 'Nothing unusual was flagged.',
      }),
    ],
    stats: ['flags'],
  },
  {
    id: 'policy',
    name: 'Policy',
    title: titleOf(POLICY),
    parts: [
      comparisonPanel({
        id: 'policy-chart',
        section: POLICY,
        title: 'Log-probabilities of the rollout',
        lead: 'Of the whole corpus: the filters do not change it.',
        empty: 'The corpus has no sequences.',
      }),
    ],
    stats: [POLICY],
  },
  { id: 'lineage', name: 'Lineage', title: 'Lineage', parts: [lineageParts], stats: [] },
];

/** Puts the sections into the page. */
export function mountSections(page: Page, main: HTMLElement, contents: HTMLElement): void {
  contents.append(
    el('ul', {}, ...SECTIONS.map(({ id, name }) => el('li', {}, el('a', { href: `#${id}` }, name)))),
  );
  for (const { id, title, parts, stats } of SECTIONS) {
    const heading = el('h2', { id: `${id}-heading`, tabindex: -1 }, title);
    main.append(
      el(
        'section',
        { id, 'aria-labelledby': heading.id },
        heading,
        el(
          'div',
          { class: 'panels' },
          ...parts.map((part) => (typeof part === 'function' ? part(page) : mountPanel(part, page))),
        ),
        ...stats.map((name) => figureList(page, name)),
      ),
    );
  }
}

/** Every figure of a section of `trajmill stats`, to be opened. */
function figureList(page: Page, section: string): HTMLElement {
  const host = el('div', { class: 'figures', 'data-stats': section });
  page.onChange(host, () => {
    const figures = page.view.figuresOf(section);
    const title = titleOf(section);
    host.replaceChildren(
      // where there are none the panel above has said so
      ...(figures.length === 0
        ? []
        : [
            disclosure({
              id: `figures-${section}`,
              summary: `${title}: ${counted(figures.length, 'figure')}`,
              build: () => tableOf(figureTable(`${title} (${counted(figures.length, 'figure')})`, figures)),
            }),
          ]),
    );
  });
  return host;
}
