import { makeTurn } from '../trajectory/build.js';
import type { PolicyTokens, Role, Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, Sniff } from './adapter.js';
import { environmentSpans } from './content-parts.js';
import { integersAt, numbersAt, objectOf, requiredString, tokenIdsAt, wrongType } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { rawTrajectory } from './raw-trajectory.js';
import { asId, asNumber, hasKeys, type JsonObject } from './shape.js';

/** Label of a token that is not trained. */
const IGNORED = -100;

/** How chat templates write a message; the text of a sample is such a rendering. */
const MESSAGES = [
  /<\|start_header_id\|>(\w+)<\|end_header_id\|>\n\n([\s\S]*?)(?:<\|eot_id\|>|$)/g,
  /<\|im_start\|>(\w+)\n([\s\S]*?)(?:<\|im_end\|>\n?|$)/g,
] as const;
const STOP = /(?:<\|eot_id\|>|<\|im_end\|>|<\|end_of_text\|>|<\|endoftext\|>|<\/s>)\s*$/;

export const tapeagentsTrainingSamples: FormatAdapter = {
  name: 'tapeagents-training-samples',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'TapeAgents training samples: one sampled reply a line, with its tokens and reward',
    recognised_by: 'lines with input_ids, labels and logprobs',
    scores: 'none; the reward stands as a flag `reward:<value>`',
    executions: 'none',
    reasoning: 'think tags in the text',
    token_ids: 'prompt and reply, exactly as logged',
    logprobs: 'of each token of the reply',
    loss: [
      'the template around messages and the stop token in text; the token ids hold both',
      'ref_logprobs, of a reference model, and advantages',
      'a system message that the tokens begin with need not be in the text',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return sniff.lines.some((line) => hasKeys(line, 'input_ids', 'labels', 'logprobs'))
    ? { confidence: 'certain', reason: 'lines with input_ids, labels and logprobs' }
    : null;
}

function read(input: unknown): readonly RawTrajectory[] {
  const row = objectOf(input, 'row');
  const flags = new Set(['no_experiment_boundary']);
  const { prompt, reply } = cutText(row);
  const stopped = STOP.exec(reply);
  const text = stopped === null ? reply : reply.slice(0, stopped.index);
  const policy = tokensOf(row, flags);
  const turns: Turn[] = [
    ...promptTurns(prompt),
    makeTurn('assistant', actionSpans(text, []), { truncated: stopped === null ? 'length' : null, policy }),
  ];
  const reward = asNumber(row['reward']);
  if (reward !== null) flags.add(`reward:${reward}`);
  return [
    rawTrajectory(
      { turns, executions: [] },
      {
        group: asId(row['group_id']),
        scaffold: 'tapeagents',
        termination: stopped === null ? 'context_limit' : 'submitted',
        flags: [...flags],
      },
    ),
  ];
}

/** The reply is the end of the text: n_predicted counts characters as Python does, by code points. */
function cutText(row: JsonObject): { prompt: string; reply: string } {
  const text = requiredString(row, 'text', '');
  const predicted = asNumber(row['n_predicted']);
  if (predicted === null || !Number.isInteger(predicted) || predicted < 0) {
    throw wrongType('n_predicted', 'a count of characters', row['n_predicted']);
  }
  let start = text.length;
  for (let left = predicted; left > 0 && start > 0; left--) {
    start -= isPairEnd(text, start) ? 2 : 1;
  }
  return { prompt: text.slice(0, start), reply: text.slice(start) };
}

function isPairEnd(text: string, end: number): boolean {
  const low = text.charCodeAt(end - 1);
  const high = text.charCodeAt(end - 2);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
}

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

/** Messages of the rendered prompt, or all of it as one; what an assistant said there is context. */
function promptTurns(prompt: string): Turn[] {
  for (const pattern of MESSAGES) {
    const found = [...prompt.matchAll(pattern)].filter((match) => (match[2] ?? '') !== '');
    if (found.length === 0) continue;
    return found.map((match) => {
      const role = ROLES[match[1] ?? ''] ?? 'user';
      return makeTurn(role, environmentSpans('prompt', [{ kind: 'text', text: match[2] ?? '' }]));
    });
  }
  return prompt === ''
    ? []
    : [makeTurn('user', environmentSpans('prompt', [{ kind: 'text', text: prompt }]))];
}

/** The tokens that carry a label are the sampled ones. One turn cannot hold several stretches of them. */
function tokensOf(row: JsonObject, flags: Set<string>): PolicyTokens | null {
  const ids = tokenIdsAt(row, 'input_ids', '');
  const labels = integersAt(row, 'labels', '');
  const logprobs = numbersAt(row, 'logprobs', '');
  if (ids === null || labels === null || labels.length !== ids.length) {
    flags.add('labels_length_mismatch');
    return null;
  }
  const first = labels.findIndex((label) => label !== IGNORED);
  const count = labels.filter((label) => label !== IGNORED).length;
  if (first === -1 || labels.findLastIndex((label) => label !== IGNORED) !== first + count - 1) {
    flags.add('labels_not_one_stretch');
    return null;
  }
  if (first + count !== ids.length) flags.add('tokens_after_reply');
  const matching = logprobs !== null && logprobs.length === count;
  if (!matching) flags.add('logprobs_length_mismatch');
  return {
    prompt_ids: ids.slice(0, first),
    response_ids: ids.slice(first, first + count),
    logprobs: matching ? logprobs : null,
    weight_version: null,
  };
}
