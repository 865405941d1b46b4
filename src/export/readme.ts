import type { ExportReport, SplitReport } from './export-report.js';
import type { Exporter } from './exporter.js';

const words = (name: string): string => name.replaceAll('_', ' ');

function splitSection({ split, rows, tokens, trained, counts, differences }: SplitReport): string {
  const size = { rows, tokens, ...(trained > 0 ? { trained_tokens: trained } : {}), ...counts };
  const lines = Object.entries(size).map(([name, value]) => `| ${words(name)} | ${value} |`);
  const said = differences.map((sentence) => `- ${sentence}`).join('\n');
  const table = ['| | |', '|---|--:|', ...lines].join('\n');
  return `## ${split}\n\n${table}${said === '' ? '' : `\n\n${said}`}`;
}

/** What an export holds and what its trainer does with it, beside the files. It holds no times and no paths. */
export function exportReadme(report: ExportReport, { files }: Exporter): string {
  const sections = [
    `# ${report.title}`,
    `Made by \`trajmill export --to ${report.exporter}\` out of the corpus of plan \`${report.plan_id}\`.`,
    files.map((file) => `- ${file}`).join('\n'),
    ...report.splits.map(splitSection),
    '## What to know',
    report.notes.map((note) => `- ${note}`).join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}
