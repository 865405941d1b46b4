import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listAt, objectOf } from './fields.js';
import { callChains, chainRun, type LoggedCall } from './generation-chains.js';
import { readPiece } from './pieces.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { isoMillis } from './times.js';
import { replyMessages, traceMessages } from './trace-messages.js';

export const langsmith: FormatAdapter = {
  name: 'langsmith',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'LangSmith runs of language models: posted and patched in a batch, or exported as a list or lines',
    recognised_by: 'an object with the lists post and patch; runs with run_type, inputs and trace_id',
    scores: 'none',
    executions: 'only where the pipeline names tools or command patterns',
    reasoning: 'none: providers that count reasoning tokens do not show them (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'runs of chains, tools and retrievers, whose texts the messages of language models repeat',
      'usage, metadata, tags and serialised configuration',
      'of each call the context, which the last one of its chain holds',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const found =
    hasKeys(sniff.json, 'post', 'patch') &&
    Array.isArray(sniff.json['post']) &&
    Array.isArray(sniff.json['patch']);
  if (found) return { confidence: 'certain', reason: 'an object with post and patch' };
  const listed = asArray(sniff.json).some(isRun);
  if (!listed && !sniff.lines.some(isRun)) return null;
  return {
    confidence: 'certain',
    reason: 'runs with run_type and inputs',
    unit: listed ? 'document' : 'lines',
  };
}

function isRun(value: unknown): boolean {
  return (
    hasKeys(value, 'id', 'run_type', 'inputs') &&
    (hasKeys(value, 'trace_id') || hasKeys(value, 'dotted_order'))
  );
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const runs = mergeRuns(Array.isArray(input) ? { post: input } : objectOf(input, 'document'));
  const models = runs.filter((run) => run['run_type'] === 'llm');
  if (models.length === 0)
    throw new RejectError('no_model_turns', 'a batch without runs of a language model');
  const byTrace = new Map<string, JsonObject[]>();
  for (const run of models) {
    const trace = asId(run['trace_id']) ?? asId(run['id']) ?? '';
    const known = byTrace.get(trace);
    if (known === undefined) byTrace.set(trace, [run]);
    else known.push(run);
  }
  return [...byTrace].flatMap(([trace, list]) => {
    const ordered = list.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    const chains = callChains(ordered.map(loggedCall));
    const hidden = ordered.some((run) => hiddenReasoning(run));
    const failed = ordered.some((run) => (asString(run['error']) ?? '') !== '');
    return chains.flatMap((chain, index) =>
      readPiece(context, `trace ${trace}`, () => {
        const run = chainRun(chain, { context });
        return [
          {
            ...run,
            session_id: chains.length === 1 ? trace || null : `${trace}/${index}`,
            scaffold: 'langsmith',
            termination: failed ? ('error' as const) : run.termination,
            flags: [...run.flags, ...(hidden ? ['reasoning_hidden'] : [])],
          },
        ];
      }),
    );
  });
}

/** Inputs are posted, outputs patched; a patch without its post stands alone. */
function mergeRuns(document: JsonObject): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  const byOrder = new Map<string, string>();
  for (const key of ['post', 'patch']) {
    (listAt(document, key, '') ?? []).forEach((value, index) => {
      const run = objectOf(value, `${key}[${index}]`);
      const id = asId(run['id']) ?? asString(run['dotted_order']) ?? `${key}-${index}`;
      const order = asString(run['dotted_order']);
      const known = merged.has(id) ? id : ((order === null ? undefined : byOrder.get(order)) ?? id);
      if (order !== null && !byOrder.has(order)) byOrder.set(order, known);
      const filled = Object.fromEntries(Object.entries(run).filter(([, field]) => field !== null));
      merged.set(known, { ...merged.get(known), ...filled });
    });
  }
  return [...merged.values()].map((run) => ({ run_type: isObject(run['outputs']) ? 'llm' : null, ...run }));
}

function orderOf(run: JsonObject): string {
  return asString(run['dotted_order']) ?? String(run['start_time'] ?? '');
}

function loggedCall(run: JsonObject): LoggedCall {
  const inputs = isObject(run['inputs']) ? run['inputs'] : {};
  const outputs = isObject(run['outputs']) ? run['outputs'] : {};
  const { messages, tools } = traceMessages(inputs);
  const extra = isObject(run['extra']) ? run['extra'] : {};
  const metadata = isObject(extra['metadata']) ? extra['metadata'] : {};
  return {
    input: messages,
    reply: replyMessages(outputs),
    tools: [...asArray(inputs['tools']), ...tools],
    model: asString(outputs['model']) ?? asString(metadata['ls_model_name']) ?? asString(inputs['model']),
    started_at: asString(run['start_time']) ?? isoMillis(run['start_time']),
  };
}

/** Reasoning that was counted, and paid for, but not shown. */
function hiddenReasoning(run: JsonObject): boolean {
  const outputs = isObject(run['outputs']) ? run['outputs'] : {};
  const usage = isObject(outputs['usage_metadata']) ? outputs['usage_metadata'] : {};
  const details = isObject(usage['output_token_details']) ? usage['output_token_details'] : {};
  return (asNumber(details['reasoning']) ?? 0) > 0;
}
