import { readFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { buildChoiceParser, buildCommand } from '@stricli/core';
import { TrajmillError } from '../errors.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import type { Grading } from './grade-print.js';
import type { GivenBoards } from './grade-scores.js';
import { note, printJson } from './output.js';
import { paintFor } from './style.js';

const UNITS = ['count', 'percent'] as const;

interface GradeFlags {
  readonly task?: string;
  readonly tasks?: string;
  readonly leaderboard?: string;
  readonly public?: string;
  readonly scores?: string;
  readonly report?: readonly string[];
  readonly table?: string;
  readonly unit: (typeof UNITS)[number];
  readonly sanity: boolean;
  readonly write?: string;
  readonly json: boolean;
}

const file = (brief: string) =>
  ({ kind: 'parsed', parse: String, brief, placeholder: 'FILE', optional: true }) as const;

/** Grades scores, leaderboards, reports and task files. */
export const gradeCommand = buildCommand<GradeFlags, string[], CliContext>({
  docs: {
    brief: 'Grade scores and reports: medals, ranks, thresholds',
    fullDescription: describeCommand(
      'Medals, above median and any medal by the rules of MLE-bench, HumanRank of MLE-Dojo by both formulas. A\n' +
        'leaderboard (CSV with a column score in rank order) gives direction, medal positions and thresholds. Reports of\n' +
        'MLE-bench are graded anew, checked, and aggregated, one file a seed. --sanity lists what breaks the rule for\n' +
        'thresholds, --table what cannot be right in a table of results. A score below 0 goes after --.\n' +
        'Exit code 65 where --sanity removes a task or --table finds something.',
      [
        'trajmill grade 0.81 --task random-acts-of-pizza',
        'trajmill grade 0.81 --leaderboard private.csv --public public.csv',
        'trajmill grade --leaderboard private.csv',
        'trajmill grade --scores scores.csv --write report.json',
        'trajmill grade --report seed1.json --report seed2.json --json',
        'trajmill grade --sanity --tasks tasks.yaml',
        'trajmill grade --table results.csv --unit percent',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'array',
      parameter: { brief: 'Scores of one task', parse: String, placeholder: 'SCORE' },
    },
    flags: {
      task: {
        kind: 'parsed',
        parse: String,
        brief: 'Id or alias of the task that the scores are of',
        placeholder: 'ID',
        optional: true,
      },
      tasks: file('File of task records, beside the shipped ones'),
      leaderboard: file('Private leaderboard (CSV): gives thresholds, and ranks the scores'),
      public: file('Public leaderboard (CSV), for the rank'),
      scores: file('CSV with columns score and task_id'),
      report: {
        kind: 'parsed',
        parse: String,
        brief: 'Report of MLE-bench, one a seed; may be given several times',
        placeholder: 'FILE',
        variadic: true,
        optional: true,
      },
      table: file('Published table of results (CSV) to check'),
      unit: {
        kind: 'parsed',
        parse: buildChoiceParser(UNITS),
        brief: 'What the figures of --table are: count or percent',
        placeholder: 'UNIT',
        default: 'percent',
      },
      sanity: {
        kind: 'boolean',
        brief: 'Check the thresholds of the task records',
        withNegated: false,
        default: false,
      },
      write: file('Write the graded scores as a report of MLE-bench'),
      json: JSON_FLAG,
    },
  },
  async func(flags, ...scores) {
    const [inputs, scoring, boards, reporting, { sanityReport }, tables, printing] = await Promise.all([
      import('./input-files.js'),
      import('./grade-scores.js'),
      import('../grading/leaderboard-file.js'),
      import('./grade-reports.js'),
      import('../grading/sanity.js'),
      import('../grading/result-table.js'),
      import('./grade-print.js'),
    ]);
    const textOf = (path: string): string => readFileSync(inputs.requireFile(path, this.cwd), 'utf8');
    const index = inputs.loadTaskIndex(flags.tasks, this.cwd);
    const boardOf = (path: string | undefined) =>
      path === undefined ? null : boards.parseLeaderboard(textOf(path), path);

    const board = boardOf(flags.leaderboard);
    const named = flags.task === undefined ? null : index.find(flags.task);
    if (flags.task !== undefined && named === null && board === null) {
      throw new TrajmillError('E_USAGE', `no task record is named "${flags.task}"; give one with --tasks`);
    }
    const ofBoard =
      board === null || flags.leaderboard === undefined
        ? null
        : boards.leaderboardRecord(
            board,
            named ?? { task_id: flags.task ?? basename(flags.leaderboard).replace(/\.[^.]*$/, '') },
            flags.leaderboard,
          );
    // the thresholds of a leaderboard at hand speak before those that a record holds
    const task: TaskRecord | null = ofBoard ?? named;
    const entries = [
      ...scores.map((text) => {
        const score = scoring.parseScore(text);
        if (score === null) throw new TrajmillError('E_USAGE', `"${text}" is not a score`);
        if (task === null) throw new TrajmillError('E_USAGE', 'scores need --task or --leaderboard');
        return { task, score };
      }),
      ...(flags.scores === undefined
        ? []
        : scoring.parseScores(textOf(flags.scores), { path: flags.scores, index, task })),
    ];
    const publicBoard = boardOf(flags.public);
    const given: GivenBoards | null =
      task === null || (board === null && publicBoard === null)
        ? null
        : { task_id: task.task_id, private: board?.scores ?? null, public: publicBoard?.scores ?? null };
    const grading: Grading = {
      leaderboard: board === null || ofBoard === null ? null : { ...printing.boardFacts(board, ofBoard) },
      scores: scoring.gradeScores(entries, given),
      reports:
        flags.report === undefined
          ? null
          : reporting.gradeReports(
              flags.report.map((path) => ({ path, text: textOf(path) })),
              index,
            ),
      sanity: flags.sanity
        ? (flags.tasks === undefined ? index.records : inputs.readTaskFile(flags.tasks, this.cwd)).map(
            (record) => ({
              task_id: record.task_id,
              origin: record.origin,
              ...sanityReport(record),
            }),
          )
        : null,
      table:
        flags.table === undefined
          ? null
          : tables.checkResultTable(tables.parseResultTable(textOf(flags.table), flags.table), {
              unit: flags.unit,
            }),
    };
    if (printing.isEmpty(grading)) {
      throw new TrajmillError(
        'E_USAGE',
        'nothing to grade: give scores, --leaderboard, --scores, --report, --table or --sanity',
      );
    }
    if (flags.write !== undefined) {
      const { writeReport } = await import('./grade-write.js');
      const path = resolve(this.cwd, flags.write);
      writeReport(path, entries);
      note(this, `wrote ${relative(this.cwd, path)}`);
    }
    const { stdout, env } = this.process;
    if (flags.json) printJson(this, grading);
    else stdout.write(printing.formatGrading(grading, paintFor(stdout, env)));
    const removed = grading.sanity?.filter(({ verdict }) => verdict === 'remove').length ?? 0;
    if (removed > 0) throw new TrajmillError('E_VERIFY', `${removed} tasks break the sanity rule`);
    const wrong = grading.table?.length ?? 0;
    if (wrong > 0)
      throw new TrajmillError('E_VERIFY', `${wrong} inconsistencies`, { place: flags.table ?? '' });
  },
});
