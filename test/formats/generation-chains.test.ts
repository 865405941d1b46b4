import fc from 'fast-check';
import { expect, it } from 'vitest';
import { callChains, type LoggedCall } from '../../src/formats/generation-chains.js';

const message = fc.constantFrom('a', 'b').map((content) => ({ role: 'user', content }));
const call = fc
  .record({ input: fc.array(message, { maxLength: 4 }), reply: fc.array(message, { maxLength: 2 }) })
  .map((texts): LoggedCall => ({ ...texts, tools: [], model: null, started_at: null }));

/** Every chain is held against every call: the longest that the context goes on from, the first of equals. */
function slowly(calls: readonly LoggedCall[]): LoggedCall[][] {
  const chains: LoggedCall[][] = [];
  const told = ({ input, reply }: LoggedCall) => [...input, ...reply].map(({ content }) => String(content));
  for (const next of calls) {
    const input = next.input.map(({ content }) => String(content));
    const fits = chains
      .map((chain) => ({ chain, keys: told(chain.at(-1) as LoggedCall) }))
      .filter(({ keys }) => keys.length <= input.length && keys.every((key, at) => key === input[at]))
      .sort((a, b) => b.keys.length - a.keys.length);
    if (fits[0] === undefined) chains.push([next]);
    else fits[0].chain.push(next);
  }
  return chains;
}

it('a call goes on with the longest chain that its context holds', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      expect(callChains(calls).map((chain) => chain.calls)).toEqual(slowly(calls));
    }),
    { numRuns: 500 },
  );
});
