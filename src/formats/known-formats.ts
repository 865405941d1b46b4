import { TrajmillError } from '../errors.js';
import type { FormatAdapter } from './adapter.js';
import { FORMATS } from './registry.js';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const registered: FormatAdapter[] = [];

/**
 * Adds a format of the library's user to those that readTrajectories knows in this process; it is asked before the
 * built-in ones. The workers of a run are threads of their own and do not see it: a run takes adapters from the modules
 * that its pipeline names. Gives a function that takes it away again.
 *
 * @throws TrajmillError E_CONFIG for a name that is taken or not in lower case words joined by hyphens
 */
export function registerFormat(adapter: FormatAdapter): () => void {
  checkNames([adapter], [...registered, ...FORMATS]);
  registered.push(adapter);
  return () => {
    const at = registered.indexOf(adapter);
    if (at !== -1) registered.splice(at, 1);
  };
}

/**
 * Every format in the order in which detection asks: those of the request, the registered ones, the built-in ones.
 *
 * @throws TrajmillError E_CONFIG where a format of the request has a name that is taken
 */
export function knownFormats(own: readonly FormatAdapter[] = []): readonly FormatAdapter[] {
  if (own.length === 0) return registered.length === 0 ? FORMATS : [...registered, ...FORMATS];
  checkNames(own, [...registered, ...FORMATS]);
  return [...own, ...registered, ...FORMATS];
}

function checkNames(added: readonly FormatAdapter[], known: readonly FormatAdapter[]): void {
  const names = new Set(known.map(({ name }) => name));
  for (const { name } of added) {
    if (!NAME.test(name)) {
      throw new TrajmillError(
        'E_CONFIG',
        `format ${JSON.stringify(name)}: a name is lower case words joined by hyphens`,
      );
    }
    if (names.has(name) || name === 'auto')
      throw new TrajmillError('E_CONFIG', `there is a format ${name} already`);
    names.add(name);
  }
}
