import { TrajmillError } from '../errors.js';
import { type ExplainedCorpus, tablesOf } from '../report/explain/explain-trajectory.js';
import { type Match, matchesOf, type NamedRows, rowsNamed } from '../report/explain/stored-rows.js';
import type { CliContext } from './context.js';
import { formatMatches } from './explain-print.js';
import { printJson } from './output.js';
import { paintFor } from './style.js';

interface MatchRequest {
  readonly corpus: ExplainedCorpus;
  /** looked through as well */
  readonly other?: ExplainedCorpus;
  /** an id, the beginning of one, or a source path */
  readonly name: string;
  /** the folder, as the user named it */
  readonly place: string;
  readonly json: boolean;
}

/** The one trajectory or reject that answers to a name. Several are listed on stdout. Throws E_USAGE for none or several. */
export async function matchNamed(
  context: CliContext,
  { corpus, other, name, place, json }: MatchRequest,
): Promise<{ readonly named: NamedRows; readonly match: Match }> {
  const named = await rowsNamed(tablesOf(corpus), name);
  const others = other === undefined ? [] : matchesOf(await rowsNamed(tablesOf(other), name));
  const matches = distinct([...matchesOf(named), ...others]);
  const { stdout, env } = context.process;
  if (matches.length > 1) {
    if (json) printJson(context, matches);
    else stdout.write(formatMatches(matches, paintFor(stdout, env)));
    throw new TrajmillError('E_USAGE', `${matches.length} trajectories answer to ${name}: name one of them`);
  }
  const [match] = matches;
  if (match === undefined) {
    throw new TrajmillError('E_USAGE', `no trajectory and no reject answers to ${name}`, { place });
  }
  return { named, match };
}

/** Like `matchNamed`, for commands that need a trajectory. */
export async function trajectoryNamed(context: CliContext, request: MatchRequest): Promise<string> {
  const { match } = await matchNamed(context, request);
  if (match.trajectory_id !== null) return match.trajectory_id;
  throw new TrajmillError('E_USAGE', `${request.name} never became a trajectory; see \`trajmill explain\``);
}

function distinct(matches: readonly Match[]): Match[] {
  const known = new Map<string, Match>();
  for (const match of matches) {
    const key = match.trajectory_id ?? match.source;
    if (!known.has(key)) known.set(key, match);
  }
  return [...known.values()];
}
