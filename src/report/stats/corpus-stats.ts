import { compositionFigures } from './composition.js';
import { cutFigures, flagFigures, funnelFigures } from './cuts.js';
import { executionFigures } from './executions.js';
import type { CorpusFacts, StatsSection } from './facts.js';
import type { Figure } from './figure.js';
import { gapFigures } from './generalisation.js';
import { outcomeFigures, rewardFigures, transitionFigures } from './outcomes.js';
import { hackingFigures } from './signs.js';
import { budgetFigures, speedFigures } from './speed.js';
import { winRateFigures } from './win-rate.js';

interface SectionSpec {
  readonly name: string;
  readonly title: string;
  readonly figures: StatsSection;
}

/** The sections of `trajmill stats`, in the order in which they are shown. */
export const STATS_SECTIONS: readonly SectionSpec[] = [
  { name: 'funnel', title: 'What became of what was read', figures: funnelFigures },
  { name: 'cut', title: 'What selection cut off', figures: cutFigures },
  { name: 'composition', title: 'What the kept trajectories are', figures: compositionFigures },
  { name: 'outcomes', title: 'How execution windows ended', figures: outcomeFigures },
  { name: 'rewards', title: 'Rewards of execution windows', figures: rewardFigures },
  { name: 'transitions', title: 'From one outcome to the next', figures: transitionFigures },
  { name: 'budgets', title: 'Best so far at budgets', figures: budgetFigures },
  { name: 'speed', title: 'How long a submission takes', figures: speedFigures },
  { name: 'executions', title: 'Executions', figures: executionFigures },
  { name: 'validation_gap', title: 'Validation against test', figures: gapFigures },
  { name: 'hacking', title: 'Signs of reward hacking', figures: hackingFigures },
  { name: 'win_rate', title: 'Models against each other', figures: winRateFigures },
  { name: 'flags', title: 'Flags', figures: flagFigures },
];

/** Every figure of a corpus, in the order of the sections. A function of the facts as a set: their order is nothing. */
export function corpusStats(facts: CorpusFacts): Figure[] {
  return STATS_SECTIONS.flatMap(({ figures }) => figures(facts));
}
