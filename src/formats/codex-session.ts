import { contentSpan } from '../trajectory/build.js';
import type { Epoch, Termination } from '../trajectory/trajectory.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import { asksForResult } from './claude-end.js';
import { type ForkedHistory, startsTurn } from './codex-fork.js';
import { codexUserText } from './codex-inputs.js';
import type { RolloutRecord } from './codex-records.js';
import { listAt, objectOf } from './fields.js';
import { ItemTurns } from './response-items.js';
import { asArray, asNumber, asString, isObject, type JsonObject } from './shape.js';
import type { ShellCall } from './shell-executions.js';

const REVIEW_ENDED = /^\s*<user_action>[\s\S]*<action>\s*review\s*<\/action>/;

/** Blocks of a reply that its event leaves out: what the terminal shows in another place, or not at all. */
const UNSHOWN = /<(oai-mem-citation|proposed_plan)>[\s\S]*?(?:<\/\1>|$)/g;

/** What the records of a rollout tell, before executions. */
export interface RolloutRun {
  readonly turns: Turn[];
  readonly epochs: Epoch[];
  /** the turn that answers a call */
  readonly answerTo: (call: ShellCall) => number | null;
  readonly events: readonly JsonObject[];
  readonly termination: Termination;
  readonly flags: ReadonlySet<string>;
}

/** Texts that response items hold, to tell which events repeat them. */
interface ItemTexts {
  readonly assistant: ReadonlySet<string>;
  readonly user: ReadonlySet<string>;
  readonly reasoning: ReadonlySet<string>;
  readonly summaries: ReadonlySet<string>;
}

export function rolloutRun(
  records: readonly RolloutRecord[],
  at: { readonly base: string | null; readonly history: ForkedHistory | null },
): RolloutRun {
  const run = new RolloutReader(itemTexts(records), at.history);
  if (at.base !== null) run.input('system', at.base);
  for (const record of records) run.take(record);
  return run.finish();
}

class RolloutReader {
  private readonly items = new ItemTurns(codexUserText);
  private readonly epochs: { turns: number[]; reason: string | null }[] = [{ turns: [], reason: null }];
  private readonly events: JsonObject[] = [];
  private readonly flags = new Set<string>();
  private model: string | null = null;
  private ended: Termination | null = null;
  private reviewed = false;
  private copied = false;

  constructor(
    private readonly texts: ItemTexts,
    private readonly history: ForkedHistory | null,
  ) {}

  input(role: 'system' | 'user', text: string, flags: readonly string[] = []): void {
    const kind = role === 'system' ? 'prompt' : 'observation';
    const spans = [contentSpan(kind, 'environment', text)];
    this.hold(this.items.addTurn(role, spans, { timestamp: null, flags }));
  }

  take(record: RolloutRecord): void {
    const { type, payload } = record;
    this.copied = this.history?.isCopied(record) ?? false;
    if (startsTurn(record)) this.reviewed = false;
    if (type === 'turn_context') this.model = asString(payload['model']) ?? this.model;
    else if (type === 'response_item') {
      this.ended = null;
      this.respond(payload, record);
    } else if (type === 'compacted') this.compact(record);
    else if (type === 'event_msg') this.event(record);
  }

  finish(): RolloutRun {
    const { turns } = this.items;
    const held = new Set(this.epochs.flatMap((epoch) => epoch.turns));
    const marked = turns.map((turn, index) =>
      held.has(index) ? turn : { ...turn, flags: [...turn.flags, 'rewound'] },
    );
    const rewound = turns.filter((turn, index) => turn.role === 'assistant' && !held.has(index)).length;
    if (rewound > 0) this.flags.add(`rewound_turns:${rewound}`);
    const epochs = this.epochs.filter((epoch) => epoch.turns.length > 0);
    return {
      turns: marked,
      epochs: epochs.length > 0 ? epochs : [{ turns: [], reason: null }],
      answerTo: (call) => this.items.answerTo(call),
      events: this.events,
      termination: this.ended ?? endOf((epochs.at(-1)?.turns ?? []).flatMap((index) => marked[index] ?? [])),
      flags: this.flags,
    };
  }

  /** The reply behind the note that a review ended is the harness's: the words of another thread, put in a form of its own. */
  private respond(item: JsonObject, record: RolloutRecord): void {
    const role = asString(item['role']);
    const told = this.reviewed && role === 'assistant';
    this.reviewed = role === 'user' && partTexts(item['content']).some((text) => REVIEW_ENDED.test(text));
    this.add(item, record, told ? ['harness_reply'] : []);
  }

  private add(item: JsonObject, record: RolloutRecord, flags: readonly string[]): void {
    const own = !flags.includes('harness_reply');
    const { copied } = this;
    const turn = this.items.add(item, {
      path: record.path,
      timestamp: record.timestamp,
      model: asString(item['model']) ?? this.model,
      origin: copied || !own ? 'environment' : 'model',
      flags: copied ? [...flags, 'copied_context'] : flags,
    });
    if (turn !== null) this.hold(turn);
  }

  private hold(turn: number): void {
    const epoch = this.epochs.at(-1);
    const last = epoch?.turns.at(-1) ?? -1;
    // Only a compaction brings back a turn from before the last one.
    if (turn === last || (turn < last && epoch?.turns.includes(turn))) return;
    epoch?.turns.push(turn);
  }

  private event(record: RolloutRecord): void {
    const { payload } = record;
    this.events.push(payload);
    switch (asString(payload['type'])) {
      case 'task_started':
      case 'turn_started':
        this.items.close();
        break;
      case 'task_complete':
      case 'turn_complete':
        this.completed(payload);
        break;
      case 'turn_aborted':
        this.stop('aborted', 'cut');
        break;
      case 'error':
        this.stop('error', errorEnd(payload));
        break;
      case 'thread_rolled_back':
        this.rollBack(asNumber(payload['num_turns']) ?? 0);
        break;
      default:
        this.unrepeated(record);
    }
  }

  /** Texts of events that no response item repeats are kept where they stand. */
  private unrepeated(record: RolloutRecord): void {
    const { payload } = record;
    const type = asString(payload['type']);
    const text = asString(payload['message']) ?? asString(payload['text']) ?? '';
    if (text === '') return;
    if (type === 'agent_message' && !this.texts.assistant.has(shownText(text))) {
      this.add({ type: 'message', role: 'assistant', content: text }, record, ['from_event']);
    } else if (type === 'user_message' && !this.texts.user.has(text)) {
      this.add({ type: 'message', role: 'user', content: text }, record, ['from_event']);
    } else if (type === 'agent_reasoning_raw_content' && !this.texts.reasoning.has(text)) {
      this.add({ type: 'reasoning', content: text }, record, ['from_event']);
    } else if (type === 'agent_reasoning' && !this.texts.summaries.has(text)) {
      this.add({ type: 'reasoning', summary: text }, record, ['from_event']);
    }
  }

  private completed(payload: JsonObject): void {
    this.items.close();
    if (isObject(payload['error'])) {
      this.stop('error', errorEnd(payload['error']));
      return;
    }
    const said = asString(payload['last_agent_message']);
    if (said !== null && said !== '' && !this.texts.assistant.has(shownText(said)))
      this.flags.add('final_text_without_message');
  }

  /** The reply that was being generated, if one is the last thing in the log, was not completed. */
  private stop(truncated: Truncation, end: Termination): void {
    this.items.close();
    this.ended = end;
    const last = this.items.turns.length - 1;
    const turn = this.items.turns[last];
    const own = turn?.role === 'assistant' && !turn.flags.includes('copied_context');
    if (turn !== undefined && own && turn.truncated === null) this.items.turns[last] = { ...turn, truncated };
  }

  private rollBack(count: number): void {
    const epoch = this.epochs.at(-1);
    if (epoch === undefined || count <= 0) return;
    this.items.close();
    const prompts = epoch.turns.filter((index) => {
      const turn = this.items.turns[index];
      return turn?.role === 'user' && turn.spans.some((span) => span.kind === 'prompt');
    });
    if (prompts.length < count) this.flags.add('rewound_past_compaction');
    const first = prompts[Math.max(0, prompts.length - count)];
    const from = first === undefined ? epoch.turns.length : epoch.turns.indexOf(first);
    epoch.turns.splice(from);
    this.ended = null;
  }

  /** A new context: its items are text of the harness, those that repeat an earlier input are that turn. */
  private compact(record: RolloutRecord): void {
    const { path, payload } = record;
    this.items.close();
    this.epochs.push({ turns: [], reason: 'compaction' });
    const history = listAt(payload, 'replacement_history', path);
    const summary = asString(payload['message']) ?? '';
    if (history === null) {
      this.flags.add('context_partly_unknown');
      if (summary !== '') this.input('user', summary, ['compact_summary']);
      return;
    }
    const inputs = inputTurns(this.items.turns);
    history.forEach((value, index) => {
      const itemPath = `${path}.replacement_history[${index}]`;
      const item = objectOf(value, itemPath);
      const known = inputs.get(inputKey(asString(item['role']), item['content']));
      if (known !== undefined) {
        this.hold(known);
        return;
      }
      const turn = this.items.add(item, {
        path: itemPath,
        timestamp: record.timestamp,
        model: null,
        origin: 'environment',
        flags: ['compacted_context'],
      });
      if (turn !== null) this.hold(turn);
    });
    this.items.close();
  }
}

/** How a rollout ended, where no event says so. */
function endOf(turns: readonly Turn[]): Termination {
  const last = turns.findLast(
    (turn) =>
      turn.role !== 'system' && (turn.role !== 'user' || turn.spans.some(({ kind }) => kind === 'prompt')),
  );
  if (last === undefined) return 'unknown';
  if (last.role !== 'assistant') return 'cut';
  return asksForResult(last) || last.spans.length === 0 ? 'cut' : 'submitted';
}

function errorEnd(error: JsonObject): Termination {
  const info = JSON.stringify(error['codex_error_info'] ?? error['message'] ?? '');
  return /context.?window/i.test(info) ? 'context_limit' : 'error';
}

function itemTexts(records: readonly RolloutRecord[]): ItemTexts {
  const assistant = new Set<string>();
  const user = new Set<string>();
  const reasoning = new Set<string>();
  const summaries = new Set<string>();
  for (const { type, payload } of records) {
    if (type !== 'response_item') continue;
    const texts =
      payload['role'] === 'assistant' ? assistant : payload['type'] === 'reasoning' ? reasoning : user;
    const parts = partTexts(payload['content']);
    for (const text of [...parts, parts.join('')]) texts.add(texts === assistant ? shownText(text) : text);
    for (const text of partTexts(payload['summary'])) summaries.add(text);
  }
  return { assistant, user, reasoning, summaries };
}

/** A reply as its event shows it; blanks do not count, since what is left out takes some with it. */
function shownText(text: string): string {
  return text.replace(UNSHOWN, '').replace(/\s+/g, '');
}

function partTexts(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return asArray(content).flatMap((part) => {
    const text = isObject(part) ? asString(part['text']) : null;
    return text === null ? [] : [text];
  });
}

/** Input turns by what they say; the last of equal ones. */
function inputTurns(turns: readonly Turn[]): Map<string, number> {
  const found = new Map<string, number>();
  turns.forEach((turn, index) => {
    if (turn.role !== 'user' && turn.role !== 'system') return;
    found.set(JSON.stringify([turn.role, turn.spans.map((span) => span.text)]), index);
  });
  return found;
}

function inputKey(role: string | null, content: unknown): string {
  return JSON.stringify([role === 'developer' ? 'system' : role, partTexts(content)]);
}
