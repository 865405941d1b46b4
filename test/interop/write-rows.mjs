// Writes what the package makes of conversations, one JSON line each, for check_interop.py:
//   node write-rows.mjs JOBS [DIST]
// JOBS is the JSON that check_interop.py writes: templates, conversations and logs, and jobs over them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , jobsPath, dist = resolve(import.meta.dirname, '../../dist')] = process.argv;
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const [{ JinjaRenderer }, { rendererOf }, { toMessages }, python, build, { readTrajectories }] =
  await Promise.all([
    load('chat/jinja-engine.js'),
    load('chat/load-renderer.js'),
    load('chat/messages.js'),
    load('chat/python-json.js'),
    load('trajectory/build.js'),
    load('formats/reader.js'),
  ]);
const [{ loadEncoder }, { createRowEncoder }, { maskSchema }, { planRows }] = await Promise.all([
  load('tokens/load-encoder.js'),
  load('tokens/encode-row.js'),
  load('tokens/mask-options.js'),
  load('tokens/stretches.js'),
]);

const jobs = JSON.parse(readFileSync(jobsPath, 'utf8'));
const date = new Date(jobs.date);

/** Waits for the reader, so that lines do not pile up. */
async function write(line) {
  if (!process.stdout.write(`${JSON.stringify(line)}\n`)) {
    await new Promise((resume) => process.stdout.once('drain', resume));
  }
}

/** A trajectory of nothing but turns. */
function bare(turns, tools) {
  return {
    trajectory_id: '0',
    parent_session: null,
    model: 'policy',
    tools,
    turns,
    executions: [],
    epochs: [{ turns: turns.map((_, i) => i), reason: null }],
  };
}

/** The golden conversations; numbers and the order of keys stay as they are written. */
function conversations() {
  const list = python.readJson(readFileSync(jobs.conversations, 'utf8'));
  return list.map((conversation) => {
    const tools = conversation.get('tools');
    const turns = conversation.get('messages').map(turnOf);
    return {
      name: conversation.get('name'),
      trajectory: bare(turns, tools ? python.toPythonJson(tools) : null),
    };
  });
}

function turnOf(message) {
  const role = message.get('role');
  const content = message.get('content');
  const reasoning = message.get('reasoning_content');
  const spans = reasoning === undefined ? [] : [build.reasoningSpan(reasoning)];
  if (role === 'assistant') spans.push(build.contentSpan('text', 'model', content));
  else spans.push(build.contentSpan(role === 'tool' ? 'observation' : 'prompt', 'environment', content));
  for (const entry of message.get('tool_calls') ?? []) {
    const called = entry.get('function');
    const given = called.get('arguments');
    const verbatim = typeof given === 'string';
    const span = build.structuredCallSpan({
      id: entry.get('id') ?? null,
      name: called.get('name'),
      arguments: verbatim ? given : python.toPythonJson(given),
    });
    spans.push({ ...span, call: { ...span.call, arguments_were_object: !verbatim } });
  }
  return build.makeTurn(role, spans, {
    name: message.get('name') ?? null,
    tool_call_id: message.get('tool_call_id') ?? null,
  });
}

function* filesUnder(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

async function logs() {
  const found = [];
  for (const root of jobs.logs) {
    for (const path of filesUnder(root)) {
      const request = { root, path: relative(root, path), range: null, format: 'auto', siblings: null };
      for await (const result of readTrajectories(request)) {
        if (result.kind !== 'trajectory') continue;
        const { trajectory } = result;
        const tokens = trajectory.turns.reduce(
          (n, turn) => n + turn.spans.reduce((m, s) => m + s.text.length, 0),
          0,
        );
        if (tokens <= jobs.max_units) found.push({ name: `${request.path}#${found.length}`, trajectory });
      }
    }
  }
  return found;
}

const all = (turns) => turns.map((_, i) => i);
const reject = (error) => {
  if (typeof error.code !== 'string') throw error;
  return { code: error.code, message: error.message };
};

const golden = conversations();
const corpora = { golden, logs: await logs() };

for (const [name, template] of Object.entries(jobs.templates)) {
  const engine = new JinjaRenderer(template, { date });
  const { argumentsForm, borrowsStop, stopVaries } = engine.traits;
  await write({ kind: 'traits', template: name, arguments: argumentsForm, borrowsStop, stopVaries });
  for (const { name: conversation, trajectory } of golden) {
    const input = { turns: trajectory.turns, indices: all(trajectory.turns), tools: trajectory.tools };
    const line = { kind: 'text', template: name, conversation };
    try {
      await write({ ...line, text: engine.text(input) });
    } catch (error) {
      await write({ ...line, text: null, reject: reject(error) });
    }
    try {
      const { segments } = engine.render(input);
      await write({ ...line, kind: 'labelled', text: segments.map((segment) => segment.text).join('') });
    } catch (error) {
      await write({ ...line, kind: 'labelled', text: null, reject: reject(error) });
    }
  }
}

/** Bytes and hash of what stands before each of some trained turns: the prompt that the model was given. */
function promptsOf(segments, trained, indices) {
  const chosen = [...trained.slice(0, 3), ...trained.slice(3).slice(-3)];
  return chosen.map((turn) => {
    let text = '';
    for (const segment of segments) {
      if (segment.turn === turn && segment.part !== 'header') break;
      text += segment.text;
    }
    const bytes = Buffer.from(text);
    return {
      position: indices.indexOf(turn),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
  });
}

/** Whether a turn is context, or the model's own to its last word and trained. */
function isTrainedWhole(index, row, { turns, model }) {
  const turn = turns[index];
  if (turn.role !== 'assistant') return true;
  const own = turn.spans.every((span) => span.origin === 'model' && (span.model ?? model) === model);
  return own && turn.truncated === null && row.trained_turns.includes(index);
}

for (const job of jobs.rows) {
  const encoder = loadEncoder({ tokenizer: job.tokenizer });
  const renderer = rendererOf(jobs.templates[job.template], date);
  const encode = createRowEncoder({ encoder, renderer, mask: maskSchema.parse(job.mask) });
  for (const { name, trajectory } of corpora[job.corpus]) {
    const line = { kind: 'row', job: job.name, conversation: name };
    try {
      const lastTurn = trajectory.turns.length - 1;
      for (const plan of planRows({ trajectory, lastTurn, strategy: job.strategy, renderer })) {
        const row = encode.encode({ trajectory, plan });
        if (row.n_trained === 0) continue;
        await write({
          ...line,
          stretch: `${plan.epoch}.${plan.stretch}`,
          input_ids: [...row.input_ids],
          loss_mask: [...row.loss_mask].join(''),
          straddled_tokens: row.straddled_tokens,
          ids_differ_because: row.ids_differ_because,
          all_trained: plan.indices.every((turn) => isTrainedWhole(turn, row, trajectory)),
          prompts: job.prompts ? promptsOf(row.segments, row.trained_turns, plan.indices) : [],
          messages: toMessages(trajectory, plan.indices, row.trained_turns),
          tools: trajectory.tools,
        });
      }
    } catch (error) {
      await write({ ...line, reject: reject(error) });
    }
  }
}
