import { expect, it } from 'vitest';
import type { FormatAdapter } from '../../src/formats/adapter.js';
import { antigravity } from '../../src/formats/antigravity.js';
import { copilotCli } from '../../src/formats/copilot-cli.js';
import { cursor } from '../../src/formats/cursor.js';
import { droid } from '../../src/formats/droid.js';
import { geminiCli } from '../../src/formats/gemini-cli.js';
import { grok } from '../../src/formats/grok.js';
import { hermes } from '../../src/formats/hermes.js';
import { kimiCli } from '../../src/formats/kimi-cli.js';
import { openhands } from '../../src/formats/openhands.js';
import { qwenCode } from '../../src/formats/qwen-code.js';
import { describeWithShared } from '../shared.js';
import { realLog } from './adapter-context.js';
import {
  type Counts,
  countsOf,
  detectLines,
  occurrences,
  realLines,
  repliesText,
  runsOf,
} from './session-logs.js';

// biome-ignore lint/suspicious/noExplicitAny: real logs are untyped
type Untyped = any;

interface RealLog extends Counts {
  readonly adapter: FormatAdapter;
  readonly folder: string;
  readonly name: string;
  /** what the model wrote, taken out of a record by hand: texts, reasoning, values of arguments */
  readonly written: (record: Untyped) => readonly string[];
}

const values = (args: unknown): string[] =>
  Object.values((typeof args === 'string' ? JSON.parse(args) : args) ?? {}).filter(
    (value): value is string => typeof value === 'string',
  );

/** Turns and calls counted with a script of their own over the files. */
const LOGS: readonly RealLog[] = [
  {
    adapter: geminiCli,
    folder: 'gemini_cli_session',
    name: 'agent-history_gemini_golden.json',
    turns: { user: 2, assistant: 2, tool: 1 },
    calls: 1,
    written: (log) => log.messages.flatMap(geminiWords),
  },
  {
    adapter: geminiCli,
    folder: 'gemini_cli_session',
    name: 'agent-history_gemini_tool_error.jsonl',
    turns: { user: 4, assistant: 5, tool: 4 },
    calls: 4,
    written: geminiWords,
  },
  {
    adapter: geminiCli,
    folder: 'gemini_cli_session',
    name: 'jsonl_v040.jsonl',
    turns: { user: 1, assistant: 2, tool: 1 },
    calls: 1,
    written: geminiWords,
  },
  {
    adapter: qwenCode,
    folder: 'qwen_code_jsonl',
    name: 'system_telemetry.jsonl',
    turns: { assistant: 1, tool: 1 },
    calls: 1,
    written: (line) =>
      line.message?.role === 'model' ? line.message.parts.flatMap((part: Untyped) => part.text ?? []) : [],
  },
  {
    adapter: kimiCli,
    folder: 'kimi_cli_wire_jsonl',
    name: 'subagent_agent-0.jsonl',
    turns: { system: 1, user: 1, assistant: 3, tool: 2 },
    calls: 2,
    written: ({ event }) =>
      event === undefined ? [] : [event.part?.think ?? event.part?.text ?? '', ...values(event.args)],
  },
  {
    adapter: copilotCli,
    folder: 'copilot_cli_events_jsonl',
    name: 'small.jsonl',
    turns: { system: 1, user: 3, assistant: 5, tool: 4 },
    calls: 4,
    written: ({ type, data }) =>
      type === 'assistant.message'
        ? [data.content, ...data.toolRequests.flatMap((call: Untyped) => values(call.arguments))]
        : [],
  },
  {
    adapter: cursor,
    folder: 'cursor_agent_jsonl',
    name: 'large.jsonl',
    turns: { user: 3, assistant: 5, tool: 2 },
    calls: 2,
    written: ({ role, message }) => (role === 'assistant' ? message.content.flatMap(blockWords) : []),
  },
  {
    adapter: droid,
    folder: 'droid_factory',
    name: 'session_store_large.jsonl',
    turns: { user: 2, assistant: 4, tool: 1 },
    calls: 1,
    written: ({ message }) => (message?.role === 'assistant' ? message.content.flatMap(blockWords) : []),
  },
  {
    adapter: grok,
    folder: 'grok_cli',
    name: 'chat_history.jsonl',
    // two replies, and reasoning whose reply was never written
    turns: { system: 1, user: 3, assistant: 3, tool: 2 },
    calls: 2,
    written: (line) =>
      line.type === 'assistant'
        ? [line.content, ...line.tool_calls.flatMap((call: Untyped) => values(call.arguments))]
        : line.type === 'reasoning'
          ? line.summary.map((part: Untyped) => part.text)
          : [],
  },
  {
    adapter: antigravity,
    folder: 'antigravity_jsonl',
    name: 'cli_small.jsonl',
    // user: two inputs, two messages of the system, a checkpoint and one step of an unknown source
    turns: { user: 6, assistant: 3, tool: 9 },
    calls: 2,
    written: (step) => (step.type === 'PLANNER_RESPONSE' ? [step.thinking ?? '', step.content ?? ''] : []),
  },
  {
    adapter: hermes,
    folder: 'hermes_agent_json',
    name: 'large.json',
    turns: { system: 1, user: 1, assistant: 2, tool: 1 },
    calls: 1,
    written: (log) =>
      log.messages.flatMap((message: Untyped) =>
        message.role === 'assistant'
          ? [
              message.content,
              message.reasoning ?? '',
              ...(message.tool_calls ?? []).map((c: Untyped) => c.function.arguments),
            ]
          : [],
      ),
  },
  {
    adapter: openhands,
    folder: 'openhands_sdk_events',
    name: 'goal_events.jsonl',
    turns: { assistant: 2, tool: 3 },
    calls: 2,
    written: (event) =>
      event.kind === 'ActionEvent'
        ? [...event.thought.map((part: Untyped) => part.text), event.tool_call.arguments]
        : [],
  },
];

function geminiWords(record: Untyped): string[] {
  if (record.type !== 'gemini') return [];
  const thoughts = (record.thoughts ?? []).flatMap((thought: Untyped) => [
    thought.subject,
    thought.description,
  ]);
  const args = (record.toolCalls ?? []).flatMap((call: Untyped) => values(call.args));
  return [record.content, ...thoughts, ...args];
}

function blockWords(block: Untyped): string[] {
  return [block.text ?? '', block.thinking ?? '', ...values(block.input)];
}

const inputOf = ({ folder, name }: RealLog): unknown =>
  name.endsWith('.json') ? realLog(folder, name) : realLines(folder, name);

/** A value inside JSON arguments stands there as JSON writes it. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

describeWithShared('sessions of coding agents', () => {
  it.each(LOGS)('$folder/$name: turns and calls counted by hand', (log) => {
    const { turns, calls } = countsOf(runsOf(log.adapter, inputOf(log)));
    expect({ turns, calls }).toEqual({ turns: log.turns, calls: log.calls });
  });

  it.each(LOGS)('$folder/$name: every word of the model is in a reply', (log) => {
    const input = inputOf(log);
    const text = repliesText(runsOf(log.adapter, input));
    const words = (Array.isArray(input) ? input : [input]).flatMap(log.written).filter((word) => word !== '');
    expect(words.length).toBeGreaterThan(0);
    // Inline spans of one text are joined by a break in `text`, so that long texts are looked for in pieces.
    for (const word of words.flatMap((piece) => piece.split(/(?<=<\/think>)/))) {
      expect([word, text.includes(word) || text.includes(escaped(word))]).toEqual([word, true]);
    }
  });

  it('a text that the log holds twice stands once', () => {
    const hermesText = repliesText(runsOf(hermes, realLog('hermes_agent_json', 'large.json')));
    expect(occurrences(hermesText, 'Need a shell lookup.')).toBe(1);
    const events = realLines('openhands_sdk_events', 'goal_events.jsonl');
    expect(occurrences(repliesText(runsOf(openhands, events)), 'Let me analyze the task.')).toBe(1);
    const kimi = runsOf(kimiCli, realLines('kimi_cli_wire_jsonl', 'subagent_agent-0.jsonl'));
    const asked = kimi[0]?.turns.filter((turn) => turn.role === 'user') ?? [];
    expect(asked).toHaveLength(1);
  });

  it('a Kimi session in which every request failed has no turn of a model', () => {
    expect(() => runsOf(kimiCli, realLines('kimi_cli_wire_jsonl', 'small.jsonl'))).toThrow(
      expect.objectContaining({ code: 'no_model_turns' }),
    );
  });

  it('lines are recognised with certainty by their own adapter alone', () => {
    for (const log of LOGS.filter(({ name }) => name.endsWith('.jsonl'))) {
      const lines = realLines(log.folder, log.name).slice(0, 32);
      const certain = LOGS.map(({ adapter }) => adapter).filter(
        (adapter) => detectLines(adapter, lines)?.confidence === 'certain',
      );
      expect([log.name, [...new Set(certain)].map(({ name }) => name)]).toEqual([
        log.name,
        [log.adapter.name],
      ]);
    }
  });
});
