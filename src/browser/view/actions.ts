import type { PageState } from './page-state.js';
import type { SearchBox } from './search-box.js';
import type { TurnColumn } from './turn-column.js';

/** What the reader can do, each by a key and some by a button. */
export interface Action {
  readonly keys: readonly string[];
  readonly name: string;
  /** on its button; null for actions without */
  readonly button: string | null;
  /** how many places it leads to; undefined for what is no jump */
  readonly places?: () => number;
  readonly run: () => void;
}

export interface ActionParts {
  readonly state: PageState;
  readonly column: TurnColumn;
  readonly search: SearchBox;
  readonly chooseNextRow: () => void;
  readonly toggleTemplate: () => void;
  readonly showHelp: () => void;
  /** tells a reader what cannot be seen */
  readonly say: (text: string) => void;
}

/** All actions as a table: keys, buttons and the help are made of it. */
export function actionsOf(parts: ActionParts): readonly Action[] {
  const { state, column, search, say } = parts;
  const { jumps, turns } = state.data;
  const best = jumps.best === null ? [] : [jumps.best];
  const anchors = (): readonly number[] => (state.anchor === null ? [] : [state.anchor]);

  const goTo = (position: number | undefined, what: string): void => {
    if (position === undefined) {
      say(`no ${what}`);
      return;
    }
    column.goTo(position);
    say(`turn ${turns[position]?.number ?? position}`);
  };
  const next = (places: readonly number[], what: string): void =>
    goTo(
      places.find((place) => place > column.current),
      `more ${what} below`,
    );
  const previous = (places: readonly number[], what: string): void =>
    goTo(
      places.findLast((place) => place < column.current),
      `more ${what} above`,
    );
  const pair = (key: string, what: string, button: string, places: () => readonly number[]): Action[] => [
    {
      keys: [key],
      name: `next ${what}`,
      button,
      places: () => places().length,
      run: () => next(places(), what),
    },
    {
      keys: [key.toUpperCase()],
      name: `previous ${what}`,
      button: null,
      run: () => previous(places(), what),
    },
  ];

  return [
    {
      keys: ['n', 'j'],
      name: 'next turn',
      button: null,
      run: () => goTo(Math.min(turns.length - 1, column.current + 1), 'turn'),
    },
    {
      keys: ['p', 'k'],
      name: 'previous turn',
      button: null,
      run: () => goTo(Math.max(0, column.current - 1), 'turn'),
    },
    ...pair('e', 'error', 'Error', () => jumps.errors),
    ...pair('s', 'submission', 'Submission', () => jumps.submissions),
    ...pair('t', 'trained turn', 'Trained', () => state.trained),
    {
      keys: ['b'],
      name: 'best score',
      button: 'Best',
      places: () => best.length,
      run: () => goTo(best[0], 'best score'),
    },
    {
      keys: ['a'],
      name: 'anchor',
      button: 'Anchor',
      places: () => anchors().length,
      run: () => goTo(anchors()[0], 'anchor in this row'),
    },
    { keys: ['g', 'Home'], name: 'first turn', button: null, run: () => goTo(0, 'turn') },
    { keys: ['G', 'End'], name: 'last turn', button: null, run: () => goTo(turns.length - 1, 'turn') },
    { keys: ['/'], name: 'search', button: null, run: () => search.focus() },
    { keys: ['r'], name: 'next row', button: null, run: parts.chooseNextRow },
    { keys: ['x'], name: 'special tokens and template text', button: null, run: parts.toggleTemplate },
    { keys: ['?'], name: 'this help', button: null, run: parts.showHelp },
  ];
}

const TYPING = 'input, select, textarea, dialog';

/** Runs actions by their keys, where nobody is typing. */
export function listenToKeys(actions: readonly Action[]): void {
  const byKey = new Map(actions.flatMap((action) => action.keys.map((key) => [key, action] as const)));
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(TYPING) !== null) return;
    const action = byKey.get(event.key);
    if (action === undefined) return;
    event.preventDefault();
    action.run();
  });
}
