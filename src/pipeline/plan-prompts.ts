import { basename, resolve } from 'node:path';
import type { SecretMasker } from '../logs/secrets.js';
import { readNamedFile } from './named-file.js';
import type { PlanBody } from './plan.js';
import type { PromptOptions } from './prompt-options.js';
import { openPromptTemplate } from './rebuild-prompts.js';

/**
 * The texts that prompts are rebuilt from, frozen by their content, without their secrets. Throws TrajmillError
 * E_CONFIG for a file that is not there, E_TEMPLATE for a template that cannot be used.
 */
export function planPrompts(
  options: PromptOptions,
  { home, masker }: { readonly home: string; readonly masker: SecretMasker },
): NonNullable<PlanBody['prompts']> {
  const read = (named: string, what: string): string =>
    masker.maskText(readNamedFile(resolve(home, named), { what, named, code: 'E_CONFIG' }).toString('utf8'))
      .text;
  const template = read(options.template, 'prompt template');
  openPromptTemplate(options.template, template);
  const descriptions = Object.entries(options.descriptions).map(([task, named]) => [
    task,
    read(named, 'task description'),
  ]);
  return { template, descriptions: Object.fromEntries(descriptions) };
}

/** The options with the bare names of their files, which may lie elsewhere on another machine. */
export function promptNames(options: PromptOptions): PromptOptions {
  const descriptions = Object.entries(options.descriptions).map(([task, path]) => [task, basename(path)]);
  return {
    ...options,
    template: basename(options.template),
    descriptions: Object.fromEntries(descriptions),
  };
}
