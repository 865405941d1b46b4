import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand, parsePositive } from './flags.js';
import { parseMemory, parseParameter } from './query-flags.js';

export const TABLE_FORMATS = ['table', 'csv', 'json', 'parquet'] as const;

export interface QueryFlags {
  readonly format: (typeof TABLE_FORMATS)[number];
  readonly out?: string;
  readonly file?: string;
  readonly param?: readonly (readonly [string, string])[];
  readonly list: boolean;
  readonly limit: number;
  readonly timeout: number;
  readonly memory: number;
  readonly threads: number;
}

/** SQL over the tables of a corpus, in embedded DuckDB. */
export const queryCommand = buildCommand<QueryFlags, [string?, string?], CliContext>({
  docs: {
    brief: 'Ask a corpus in SQL, or one of the named questions',
    fullDescription: describeCommand(
      'Takes a run folder or its corpus folder. Every table is a view of its name, and so are rejects, tasks,\n' +
        'decisions, files, counts and corpus; DESCRIBE sft shows columns. SQL is one SELECT in the dialect of DuckDB; - is\n' +
        'standard input; @NAME is a named question, which --list shows. $name in SQL takes its value from --param.\n' +
        'A query reads the files of this corpus and nothing else, and writes nothing but --out. Exit code 2 for a\n' +
        'mistake in the SQL, and for one that took too long or too much memory.',
      [
        "trajmill query out/demo 'SELECT outcome, count(*) FROM windows GROUP BY ALL'",
        'trajmill query out/demo @reward-by-task',
        'trajmill query out/demo @longest-rows --param top=5 --format csv',
        'trajmill query out/demo --file question.sql --format parquet --out answer.parquet',
        'trajmill query --list',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR', optional: true },
        { brief: 'One SELECT, @NAME or -', parse: String, placeholder: 'SQL', optional: true },
      ],
    },
    flags: {
      format: {
        kind: 'enum',
        values: TABLE_FORMATS,
        brief: 'table is for people; csv is RFC 4180, json one array, parquet needs --out',
        default: 'table',
      },
      out: { kind: 'parsed', parse: String, brief: 'Write this file', placeholder: 'FILE', optional: true },
      file: {
        kind: 'parsed',
        parse: String,
        brief: 'Read the SQL from a file',
        placeholder: 'FILE',
        optional: true,
      },
      param: {
        kind: 'parsed',
        parse: parseParameter,
        brief: 'Value of a parameter; may be given several times',
        placeholder: 'NAME=VALUE',
        variadic: true,
        optional: true,
      },
      list: { kind: 'boolean', brief: 'List the named questions', withNegated: false, default: false },
      limit: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Rows of a table',
        placeholder: 'N',
        default: '100',
      },
      timeout: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Seconds until the query is stopped',
        placeholder: 'N',
        default: '60',
      },
      memory: {
        kind: 'parsed',
        parse: parseMemory,
        brief: 'Memory that the query may take, in MB or GB',
        placeholder: 'SIZE',
        default: '2GB',
      },
      threads: { kind: 'parsed', parse: parsePositive, brief: 'Threads', placeholder: 'N', default: '2' },
    },
  },
  async func(flags, dir, sql) {
    const { listQuestions, query } = await import('./query-run.js');
    if (flags.list || dir === '@' || sql === '@') await listQuestions(this);
    else await query(this, { flags, dir, sql });
  },
});
