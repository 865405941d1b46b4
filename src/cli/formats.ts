import { buildCommand } from '@stricli/core';
import type { FormatAdapter } from '../formats/adapter.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { printJson } from './output.js';
import { type Paint, paintFor } from './style.js';

/** Lists the log formats and what each records. */
export const formatsCommand = buildCommand<{ readonly json: boolean }, [], CliContext>({
  docs: {
    brief: 'List the log formats and what each records',
    fullDescription: describeCommand(
      'Formats are recognised by content. For each: how, whether it records scores, executions, reasoning, token\n' +
        'ids and log-probabilities, and what is lost.',
      ['trajmill formats', 'trajmill formats --json'],
    ),
  },
  parameters: { flags: { json: JSON_FLAG } },
  async func({ json }) {
    const { FORMATS } = await import('../formats/registry.js');
    if (json) {
      const list = FORMATS.map(({ name, version, unit, notes, experiments }) => ({
        name,
        version,
        unit,
        ...notes,
        experiments,
      }));
      printJson(this, list);
      return;
    }
    const paint = paintFor(this.process.stdout, this.process.env);
    this.process.stdout.write(FORMATS.map((adapter) => formatAdapter(adapter, paint)).join('\n'));
  },
});

const ASPECTS = [
  ['recognised_by', 'recognised by'],
  ['scores', 'scores'],
  ['executions', 'executions'],
  ['reasoning', 'reasoning'],
  ['token_ids', 'token ids'],
  ['logprobs', 'log-probs'],
] as const;

function formatAdapter({ name, version, notes }: FormatAdapter, paint: Paint): string {
  const lines = [`${paint('bold', name)} ${paint('dim', version)}  ${notes.title}`];
  for (const [key, label] of ASPECTS) lines.push(`  ${label.padEnd(14)}${notes[key]}`);
  notes.loss.forEach((loss, index) => {
    lines.push(`  ${(index === 0 ? 'lost' : '').padEnd(14)}${loss}`);
  });
  return `${lines.join('\n')}\n`;
}
