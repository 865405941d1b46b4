import {
  type Application,
  buildApplication,
  buildRouteMap,
  run,
  ExitCode as StricliExit,
  text_en,
} from '@stricli/core';
import { EXIT, type ExitCode, TrajmillError } from '../errors.js';
import { messageText } from '../report/terminal-text.js';
import { TOOL_VERSION } from '../version.js';
import { collapseCommand } from './collapse.js';
import { commitCommand } from './commit.js';
import { compareCommand } from './compare.js';
import type { CliContext, CliProcess } from './context.js';
import { diffCommand } from './diff.js';
import { explainCommand } from './explain.js';
import { exportCommand } from './export.js';
import { formatsCommand } from './formats.js';
import { gradeCommand } from './grade.js';
import { inspectCommand } from './inspect.js';
import { planCommand } from './plan.js';
import { queryCommand } from './query.js';
import { reportCommand } from './report.js';
import { rescoreCommand } from './rescore.js';
import { runCommand } from './run.js';
import { schemaCommand } from './schema.js';
import { statsCommand } from './stats.js';
import { statusCommand } from './status.js';
import { tokensCommand } from './tokens.js';
import { uiCommand } from './ui.js';
import { verifyCommand } from './verify.js';
import { viewCommand } from './view.js';

const ROUTES = buildRouteMap({
  routes: {
    run: runCommand,
    plan: planCommand,
    commit: commitCommand,
    status: statusCommand,
    inspect: inspectCommand,
    tokens: tokensCommand,
    verify: verifyCommand,
    grade: gradeCommand,
    stats: statsCommand,
    explain: explainCommand,
    report: reportCommand,
    view: viewCommand,
    rescore: rescoreCommand,
    compare: compareCommand,
    diff: diffCommand,
    query: queryCommand,
    ui: uiCommand,
    export: exportCommand,
    collapse: collapseCommand,
    formats: formatsCommand,
    schema: schemaCommand,
  },
  docs: {
    brief: 'Turns the raw logs of LLM agents into training corpora in Parquet',
    fullDescription:
      'Turns the raw logs of LLM agents into training corpora: masked SFT rows and reward-bearing execution\n' +
      'windows, in Parquet.\n\nEXAMPLES\n' +
      '  trajmill run pipelines/demo.yaml\n' +
      '  trajmill inspect logs/run-17/trajectory.json\n' +
      '  trajmill verify out/demo\n' +
      '  trajmill run --help',
  },
});

/** One line for people, which may quote a log; the stack only where it was asked for. */
function formatFault(fault: unknown, debug: boolean): string {
  if (debug && fault instanceof Error) return `trajmill: ${fault.stack ?? fault.message}`;
  if (fault instanceof TrajmillError) return `trajmill: ${fault.message}`;
  const message = fault instanceof Error ? fault.message : String(fault);
  if (isSystemFault(fault)) return `trajmill: ${message.split('\n')[0]}`;
  return `trajmill: unexpected fault: ${message.split('\n')[0]} (set TRAJMILL_DEBUG=1 to see the stack)`;
}

function exitCodeOf(fault: unknown): ExitCode {
  if (fault instanceof TrajmillError) return fault.exitCode;
  return isSystemFault(fault) ? EXIT.io : EXIT.unexpected;
}

/** What the operating system refused: a full disk, a missing permission, a path through a file. */
function isSystemFault(fault: unknown): boolean {
  return fault instanceof Error && typeof (fault as NodeJS.ErrnoException).syscall === 'string';
}

function buildApp(debug: boolean): Application<CliContext> {
  const fault = (error: unknown): string => messageText(formatFault(error, debug));
  return buildApplication(ROUTES, {
    name: 'trajmill',
    versionInfo: { currentVersion: TOOL_VERSION },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    determineExitCode: exitCodeOf,
    localization: {
      text: {
        ...text_en,
        exceptionWhileRunningCommand: fault,
        exceptionWhileLoadingCommandFunction: fault,
        exceptionWhileLoadingCommandContext: fault,
        commandErrorResult: fault,
      },
    },
  });
}

/** The parser's own codes are negative; a shell would show -4 as 252. */
const PARSER_EXITS: Readonly<Record<number, ExitCode>> = {
  [StricliExit.UnknownCommand]: EXIT.usage,
  [StricliExit.InvalidArgument]: EXIT.usage,
  [StricliExit.ContextLoadError]: EXIT.unexpected,
  [StricliExit.CommandLoadError]: EXIT.unexpected,
  [StricliExit.InternalError]: EXIT.unexpected,
  [StricliExit.IntegrationError]: EXIT.unexpected,
};

/** They heed an interrupt, and leave their work so that it can go on. */
const IN_ORDER: readonly string[] = ['run', 'plan', 'query', 'ui'];

/**
 * Whether an interrupt lets the command end by itself. The others only read, or put in place what they wrote when it is
 * whole, so that they may be ended anywhere.
 */
export function endsInOrder([command = '']: readonly string[]): boolean {
  return IN_ORDER.includes(command);
}

const WITH_INPUTS: readonly string[] = ['run', 'plan'];

/**
 * `--input` takes all that follows it up to the next flag, once the pipeline file has been named: a shell that
 * expands a glob gives many words.
 */
export function spreadInputs(argv: readonly string[]): string[] {
  const [command = '', ...rest] = argv;
  if (!WITH_INPUTS.includes(command)) return [...argv];
  const spread = [command];
  let named = false;
  let taking = false;
  let pending: string | null = null;
  for (const word of rest) {
    if (pending !== null) {
      spread.push(word);
      taking = pending === '--input' && named;
      pending = null;
    } else if (word.startsWith('-') && word !== '-') {
      taking = false;
      spread.push(word);
      if (['--input', '--out', '--workers', '--shard'].includes(word)) pending = word;
    } else if (taking) {
      spread.push('--input', word);
    } else {
      named = true;
      spread.push(word);
    }
  }
  return spread;
}

/** Runs one command line and gives its exit code; nothing is thrown, and the process is left alone. */
export async function runCli(argv: readonly string[], context: CliContext): Promise<number> {
  const app = buildApp((context.process.env['TRAJMILL_DEBUG'] ?? '') !== '');
  const { stdout, stderr, env, stdin } = context.process;
  // the parser writes the exit code into the process it is given
  const process: CliProcess & { exitCode: number | string | null } = {
    stdout,
    stderr,
    env,
    ...(stdin === undefined ? {} : { stdin }),
    exitCode: null,
  };
  await run(app, spreadInputs(argv), { cwd: context.cwd, signal: context.signal, process });
  const code = Number(process.exitCode ?? EXIT.unexpected);
  return PARSER_EXITS[code] ?? code;
}
