import { el } from '../common/dom.js';
import type { PageParameter } from './data.js';

/** Names of the form $name in a statement, in order, each once. */
export function parameterNames(sql: string): string[] {
  return [...new Set([...sql.matchAll(/\$([A-Za-z_]\w*)/g)].map(([, name = '']) => name))];
}

/** One field for each parameter of the statement in the editor; what was typed stays. */
export class ParameterFields {
  readonly element = el('div', { class: 'parameters' });
  readonly #inputs = new Map<string, HTMLInputElement>();
  #known: readonly PageParameter[] = [];

  /** Shows the fields of a statement; `known` tells what the parameters of a named question mean. */
  show(sql: string, known: readonly PageParameter[] = this.#known): void {
    if (known !== this.#known) this.#inputs.clear();
    this.#known = known;
    const fields = parameterNames(sql).map((name) => {
      const parameter = known.find((each) => each.name === name);
      const input = this.#inputs.get(name) ?? el('input', { name, placeholder: placeholderOf(parameter) });
      this.#inputs.set(name, input);
      return el('label', { class: 'field' }, el('span', {}, parameter?.meaning ?? `$${name}`), input);
    });
    this.element.replaceChildren(...fields);
  }

  /** Values of the statement's parameters; an empty field is its default, or NULL. */
  values(sql: string): Record<string, string> {
    return Object.fromEntries(
      parameterNames(sql).map((name) => {
        const typed = this.#inputs.get(name)?.value ?? '';
        const fallback = this.#known.find((each) => each.name === name)?.default ?? null;
        return [name, typed === '' ? String(fallback) : typed];
      }),
    );
  }

  /** Only what was typed: the server knows the defaults of a named question. */
  typed(): Record<string, string> {
    const entries = [...this.#inputs].map(([name, { value }]) => [name, value] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== ''));
  }
}

const placeholderOf = (parameter: PageParameter | undefined): string =>
  parameter?.default === undefined || parameter.default === null ? 'any' : String(parameter.default);
