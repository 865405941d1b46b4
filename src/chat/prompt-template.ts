import { TrajmillError } from '../errors.js';
import { RejectError } from '../logs/reject.js';
import { runTemplate } from './jinja/evaluate.js';
import { templateGlobals } from './jinja/globals.js';
import { type KnownNames, unknownNames } from './jinja/names.js';
import type { Node } from './jinja/nodes.js';
import type { TextSource } from './jinja/text.js';
import { fromJson, TemplateFault, type Value } from './jinja/value.js';
import { readJson } from './python-json.js';
import { parseSupported } from './template-run.js';

/** Data as a template sees it. */
export type PromptValue = Value;

/** Those of chat templates, but for the one that tells the date. */
const FUNCTIONS = templateGlobals(null);
FUNCTIONS.delete('strftime_now');

const OTHER: TextSource = { turn: -1, kind: 'other', span: -1 };

/** Plain data as values of a template. */
export function promptValue(data: object): PromptValue {
  return fromJson(readJson(JSON.stringify(data)), OTHER);
}

/** A Jinja template of a user that makes the text of a prompt out of named data. */
export class PromptTemplate {
  readonly #program: Node;

  /** Throws TrajmillError E_TEMPLATE for a template that cannot be parsed, or that reads a name which nothing gives. */
  constructor(source: { readonly name: string; readonly text: string }, known: KnownNames) {
    if (source.text.trim() === '') throw new TrajmillError('E_TEMPLATE', 'is empty', { place: source.name });
    this.#program = parseSupported(source);
    const variables = new Set([...known.variables, ...FUNCTIONS.keys()]);
    const unknown = unknownNames(this.#program, { variables, fields: known.fields });
    for (const [what, names, there] of [
      ['variable', unknown.variables, known.variables],
      ['field', unknown.fields, known.fields],
    ] as const) {
      const [name] = names;
      if (name === undefined) continue;
      throw new TrajmillError('E_TEMPLATE', `no ${what} ${name}; there are ${[...there].join(', ')}`, {
        place: source.name,
      });
    }
  }

  /** What the template prints. Throws RejectError('template_error') where Python would raise. */
  text(variables: ReadonlyMap<string, PromptValue>): string {
    try {
      const chunks = runTemplate(this.#program, new Map([...FUNCTIONS, ...variables]));
      return chunks.map(({ text }) => text.text).join('');
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      throw new RejectError('template_error', `prompt template: ${error.message}`);
    }
  }
}
