import type { PolicyTokens } from '../trajectory/turn.js';
import { tokenIdsAt } from './fields.js';
import { policyTokens } from './policy-tokens.js';
import { asArray } from './shape.js';
import type { Branch, TraceNode } from './verifiers-graph.js';

const TOKEN_KEYS = {
  prompt_ids: 'prompt_ids',
  response_ids: 'response_ids',
  logprobs: 'logprobs',
} as const;

/** The tokens of a reply, null where they are not recorded. */
export type NodeTokens = { readonly policy: PolicyTokens | null; readonly flags: readonly string[] };

export const NO_TOKENS: NodeTokens = { policy: null, flags: [] };

/** The tokens that each node adds, none where they are not recorded. */
export function nodeTokenIds(nodes: readonly TraceNode[]): readonly (readonly number[])[] {
  return nodes.map(({ fields, path }) => tokenIdsAt(fields, 'token_ids', path) ?? []);
}

/** The tokens of all that stands before a node, where branches with a common beginning follow one another. */
export class Prompts {
  readonly #ids: readonly (readonly number[])[];
  readonly #tokens: number[] = [];
  /** the nodes whose tokens are held, each with where they begin */
  readonly #held: { readonly node: number; readonly start: number }[] = [];

  constructor(ids: readonly (readonly number[])[]) {
    this.#ids = ids;
  }

  /** The tokens of the first `length` nodes of a branch, then `own`. */
  before({ nodes }: Branch, length: number, own: readonly number[]): number[] {
    let shared = 0;
    while (shared < length && this.#held[shared]?.node === nodes[shared]) shared++;
    this.#tokens.length = this.#held[shared]?.start ?? this.#tokens.length;
    this.#held.length = shared;
    for (const node of nodes.slice(shared, length)) {
      this.#held.push({ node, start: this.#tokens.length });
      for (const id of this.#ids[node] ?? []) this.#tokens.push(id);
    }
    return this.#tokens.concat(own);
  }
}

/** The tokens of the new nodes of a branch: their own that were sampled, behind all that stand before them. */
export function policiesOf(
  branch: Branch,
  known: ReadonlySet<number>,
  of: {
    readonly nodes: readonly TraceNode[];
    readonly ids: readonly (readonly number[])[];
    readonly prompts: Prompts;
    readonly version: string | null;
  },
): ReadonlyMap<number, NodeTokens> {
  const policies = new Map<number, NodeTokens>();
  let recorded = true;
  branch.nodes.forEach((index, position) => {
    const node = of.nodes[index];
    const ids = of.ids[index] ?? [];
    const from = node?.sampled === true && !known.has(index) ? sampledFrom(node, ids) : null;
    if (node !== undefined && from !== null) {
      const logprobs = node.fields['logprobs'];
      const { policy, flags } = policyTokens(
        { response_ids: ids.slice(from), logprobs: asArray(logprobs).length > 0 ? logprobs : null },
        { path: node.path, keys: TOKEN_KEYS, weight_version: of.version },
      );
      const prompt_ids = recorded ? of.prompts.before(branch, position, ids.slice(0, from)) : null;
      policies.set(index, { policy: policy === null ? null : { ...policy, prompt_ids }, flags });
    }
    // Behind a message whose tokens are not recorded no prompt is known; those of a reply that was handed in the writer
    // may give to the message after it.
    if (ids.length === 0 && node?.message['role'] !== 'assistant') recorded = false;
  });
  return policies;
}

/** Where the sampled tokens of a reply begin, which run to its end; null where the mask says anything else. */
function sampledFrom(node: TraceNode, ids: readonly number[]): number | null {
  const mask = asArray(node.fields['mask']);
  const from = mask.indexOf(true);
  const whole = mask.length === ids.length && from >= 0 && mask.slice(from).every((token) => token === true);
  return whole ? from : null;
}
