import { mostUsedModel, withoutOwnModel } from './model-names.js';
import type { SessionRun } from './session-run.js';

/**
 * The model of a session with branches, null where none is named: that of the context which it ended with, else of all
 * turns. Its own spans name no model from then on, and turns that were rewound are counted in a flag.
 */
export function settleSession(run: SessionRun): string | null {
  const live = run.context.flatMap((index) => run.turns[index] ?? []);
  const model = mostUsedModel(live) ?? mostUsedModel(run.turns);
  withoutOwnModel(run.turns, model).forEach((turn, index) => {
    run.replace(index, turn);
  });
  countRewound(run);
  return model;
}

/** Replies that were rewound, counted in a flag. */
export function countRewound(run: SessionRun): void {
  const rewound = run.turns.filter((turn) => turn.role === 'assistant' && turn.flags.includes('rewound'));
  if (rewound.length > 0) run.flag(`rewound_turns:${rewound.length}`);
}
