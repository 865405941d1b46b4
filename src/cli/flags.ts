/** Flags and parsers that several commands share. */

export const JSON_FLAG = {
  kind: 'boolean',
  brief: 'Print JSON on stdout; text for people goes to stderr',
  withNegated: false,
  default: false,
} as const;

export const INPUT_FLAG = {
  kind: 'parsed',
  parse: String,
  brief:
    'Log files to read, in place of those in the pipeline file, - for standard input; may be given several times',
  placeholder: 'GLOB',
  variadic: true,
  optional: true,
} as const;

export const OUT_FLAG = {
  kind: 'parsed',
  parse: parseFolder,
  brief: 'Run folder; default: out of the pipeline file, else out/<pipeline name>',
  placeholder: 'DIR',
  optional: true,
} as const;

export const DOWNLOAD_FLAG = {
  kind: 'boolean',
  brief: 'Fetch a tokenizer or template owner/model that the local Hugging Face cache lacks',
  withNegated: false,
  default: false,
} as const;

export const REPORT_FLAG = {
  kind: 'boolean',
  brief: 'Write report.html beside the corpus, or not',
  default: true,
} as const;

export const PIPELINE_ARGUMENT = {
  kind: 'tuple',
  parameters: [{ brief: 'Pipeline file (YAML)', parse: String, placeholder: 'PIPELINE' }],
} as const;

export const RUN_DIR_ARGUMENT = {
  kind: 'tuple',
  parameters: [{ brief: 'Run folder', parse: String, placeholder: 'DIR' }],
} as const;

/** A folder; an empty name, as of a shell variable that is not set, would mean the folder one stands in. */
function parseFolder(input: string): string {
  if (input === '') throw new Error('expected the name of a folder');
  return input;
}

/** A whole number from 1. */
export function parsePositive(input: string): number {
  const value = Number(input);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error('expected a whole number from 1');
  return value;
}

export function parseFromZero(input: string): number {
  const value = Number(input);
  if (!/^\d+$/.test(input) || !Number.isSafeInteger(value)) throw new Error('expected a whole number from 0');
  return value;
}

/** A day, at midnight UTC. */
export function parseDate(input: string): Date {
  const date = new Date(`${input}T00:00:00Z`);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(input) && !Number.isNaN(date.getTime());
  if (!isDay || date.toISOString().slice(0, 10) !== input) throw new Error('expected a day as YYYY-MM-DD');
  return date;
}

/** The text of a help page: what a command does, then examples, one a line. */
export function describeCommand(text: string, examples: readonly string[]): string {
  return `${text}\n\nEXAMPLES\n${examples.map((example) => `  ${example}`).join('\n')}`;
}
