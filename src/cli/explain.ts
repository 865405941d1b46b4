import { existsSync } from 'node:fs';
import { buildCommand } from '@stricli/core';
import { TrajmillError } from '../errors.js';
import type { LogReading } from '../report/explain/from-log.js';
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
    const [{ openCorpus }, rowsModule, log, explaining, { explainedRules }, { tasksByName }, printing] =
      await Promise.all([
        import('./corpus-folder.js'),
        import('../report/explain/stored-rows.js'),
        import('../report/explain/from-log.js'),
        import('../report/explain/explanation.js'),
        import('../report/explain/rules.js'),
        import('../report/stats/facts-builder.js'),
        import('./explain-print.js'),
      ]);
    const { corpus, manifest, run, tasks, scores } = await openCorpus(this, dir);
    const rejectsPath = run?.folder.rejects ?? null;
    const rejects = rejectsPath !== null && existsSync(rejectsPath) ? rejectsPath : null;
    const tables = { corpus, manifest, rejects };
    const named = await rowsModule.rowsNamed(tables, name);
    const matches = rowsModule.matchesOf(named);
    const { stdout, env } = this.process;
    if (matches.length > 1) {
      if (json) printJson(this, matches);
      else stdout.write(printing.formatMatches(matches, paintFor(stdout, env)));
      throw new TrajmillError(
        'E_USAGE',
        `${matches.length} trajectories answer to ${name}: name one of them`,
      );
    }
    const [match] = matches;
    if (match === undefined) {
      throw new TrajmillError('E_USAGE', `no trajectory and no reject answers to ${name}`, { place: dir });
    }

    const id = match.trajectory_id;
    const inputs = explaining.standingFirst(named.trajectories);
    const [standing = null] = inputs;
    const rows =
      id === null
        ? { executions: [], windows: [], sft: [], rl: [] }
        : await rowsModule.rowsOfTrajectory(tables, id);
    const taskId = rows.executions[0]?.task_id ?? rows.windows[0]?.task_id ?? standing?.task_id ?? '';
    const task = tasksByName(tasks).get(taskId) ?? null;
    const sourceLog: LogReading =
      standing === null
        ? { read: false, because: 'it never became a trajectory' }
        : await log.readFromLog({ ...standing, run, tasks, scores });
    const config = run?.plan.body.config;
    const selection =
      config?.stages.find((stage) => stage.name === standing?.stage)?.selection ?? config?.selection ?? null;
    const explanation = explaining.explain({
      trajectory_id: id,
      inputs,
      rejects: named.rejects,
      rows,
      task,
      source_log: sourceLog,
      rules: explainedRules({
        source_log: sourceLog,
        trajectory: standing,
        executions: rows.executions,
        task,
        selection,
        scores,
      }),
    });
    if (json) printJson(this, explanation);
    else stdout.write(printing.formatExplanation(explanation, paintFor(stdout, env)));
  },
});
