import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface Page {
  /** relative to the repository */
  readonly path: string;
  readonly text: string;
}

/** Every page that people read: those beside the README, those of docs/ and docs/exports/, and the one of the sample logs. */
export const PAGES: readonly Page[] = ['.', 'docs', 'docs/exports', 'data/samples'].flatMap((folder) =>
  readdirSync(join(repository, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') })),
);

export interface CodeBlock {
  readonly page: string;
  /** 1-based line of the fence */
  readonly line: number;
  readonly language: string;
  /** what follows the language on the fence */
  readonly mark: string;
  readonly text: string;
}

/** The fenced blocks of a page. */
export function codeBlocks({ path, text }: Page): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = text.split('\n');
  for (let start = 0; start < lines.length; start++) {
    const fence = /^```(\w*) ?(.*)$/.exec(lines[start] ?? '');
    if (fence === null) continue;
    let end = start + 1;
    while (end < lines.length && lines[end] !== '```') end++;
    const [, language = '', mark = ''] = fence;
    blocks.push({
      page: path,
      line: start + 1,
      language,
      mark: mark.trim(),
      text: lines.slice(start + 1, end).join('\n'),
    });
    start = end;
  }
  return blocks;
}

/** A page without its fenced blocks, for what is said of prose and links. */
export function prose({ text }: Page): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}
