import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { printJson } from './output.js';
import { paintFor } from './style.js';

/** What happened to one trajectory at each stage. */
export const explainCommand = buildCommand<{ readonly json: boolean }, [string, string], CliContext>({
  docs: {
    brief: 'Say what happened to one trajectory, and why',
    fullDescription: describeCommand(
      'ID is a trajectory_id or the beginning of one, or the path of a source as the tables name it. Shown are source\n' +
        'and format, task and how it was found, executions with scores and medals, what each rule decided with its\n' +
        'numbers, windows with outcome, trend and reward, the rows that were written, or the reject and its reason. Where\n' +
        'the source log still lies where it was read, it is read again; the output says whether. An ID that fits several\n' +
        'lists them and ends with exit code 2.',
      [
        'trajmill explain out/demo 648eab1c',
        'trajmill explain out/demo aide-journal/run-3/journal.json --json',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR' },
        { brief: 'Trajectory, or the beginning of its id', parse: String, placeholder: 'ID' },
      ],
    },
    flags: { json: JSON_FLAG },
  },
  async func({ json }, dir, name) {
    const [{ openCorpus }, { matchNamed }, { explainTrajectory }, printing] = await Promise.all([
      import('./corpus-folder.js'),
      import('./corpus-match.js'),
      import('../report/explain/explain-trajectory.js'),
      import('./explain-print.js'),
    ]);
    const corpus = await openCorpus(this, dir);
    const { named, match } = await matchNamed(this, { corpus, name, place: dir, json });
    const { explanation } = await explainTrajectory(corpus, { named, id: match.trajectory_id });
    const { stdout, env } = this.process;
    if (json) printJson(this, explanation);
    else stdout.write(printing.formatExplanation(explanation, paintFor(stdout, env)));
  },
});
