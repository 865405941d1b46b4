import { isLeftOut } from './left-out.js';
import type { ChatMessage, Field } from './message.js';
import { toChatMessages } from './message.js';
import { toPythonJson } from './python-json.js';
import type { ChatRenderer, RenderInput } from './renderer.js';
import type { Rendering } from './segment.js';
import { SegmentList, spanAt } from './segment-list.js';
import { readTools } from './tools.js';

/** sha256 of the stock template of Qwen3 (chat_template of its tokenizer_config.json). */
export const QWEN3_TEMPLATE_SHA256 = '87a2728cb8dc9fe424d624542f6060ec05a1d285ebbec578bb078900e33396b5';

const THINK = '<think>';
const END_THINK = '</think>';
const TOOL_RESPONSE = '<tool_response>';
const END_TOOL_RESPONSE = '</tool_response>';
const TOOLS_BEFORE =
  '# Tools\n\nYou may call one or more functions to assist with the user query.\n\n' +
  'You are provided with function signatures within <tools></tools> XML tags:\n<tools>';
const TOOLS_AFTER =
  '\n</tools>\n\nFor each function call, return a json object with function name and arguments within ' +
  '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n' +
  '</tool_call>';

/** Qwen3's stock template written out by hand; load-renderer proves it equal to the template. */
export const qwen3Renderer: ChatRenderer = {
  name: 'qwen3',
  sha256: QWEN3_TEMPLATE_SHA256,
  render: (input) => render(input, { preserve: false }),
  renderPreserving: (input) => render(input, { preserve: true }),
  breaks,
};

function render({ turns, indices, tools }: RenderInput, { preserve }: { preserve: boolean }): Rendering {
  const messages = toChatMessages(turns, indices);
  const list = new SegmentList();
  const stripped: number[] = [];
  const query = preserve ? firstQueryIndex(messages) : lastQueryIndex(messages);
  writePreamble(list, messages[0], tools);
  messages.forEach((message, i) => {
    if (message.role === 'user' || (message.role === 'system' && i > 0)) {
      list.glue(`<|im_start|>${message.role}\n`, 'context', message.turn);
      writeContext(list, message);
      list.glue('<|im_end|>\n', 'context', message.turn);
    } else if (message.role === 'assistant') {
      const complete = writeAssistant(list, message, {
        afterQuery: i > query,
        last: i === messages.length - 1,
      });
      if (!complete) stripped.push(message.turn);
    } else if (message.role === 'tool') {
      const opens = messages[i - 1]?.role !== 'tool';
      const closes = messages[i + 1]?.role !== 'tool';
      list.glue(`${opens ? '<|im_start|>user' : ''}\n${TOOL_RESPONSE}\n`, 'context', message.turn);
      writeContext(list, message);
      list.glue(`\n${END_TOOL_RESPONSE}${closes ? '<|im_end|>\n' : ''}`, 'context', message.turn);
    }
  });
  return { segments: list.segments, stripped_reasoning: stripped, continued: [] };
}

/** A query strips the reasoning before it: the view changes there if any of it had been shown. */
function breaks({ turns, indices }: RenderInput): number[] {
  const positions: number[] = [];
  let queried = false;
  let shown = false;
  toChatMessages(turns, indices).forEach((message, i) => {
    if (isQuery(message)) {
      if (shown) positions.push(i);
      queried = true;
      shown = false;
    } else if (message.role === 'assistant' && queried && !isEmpty(splitThinking(message).reasoning)) {
      shown = true;
    }
  });
  return positions;
}

/** A user message is a query unless it is exactly a wrapped tool response. */
function isQuery({ role, content }: ChatMessage): boolean {
  return (
    role === 'user' && !(content.text.startsWith(TOOL_RESPONSE) && content.text.endsWith(END_TOOL_RESPONSE))
  );
}

function lastQueryIndex(messages: readonly ChatMessage[]): number {
  const found = messages.findLastIndex(isQuery);
  return found < 0 ? messages.length - 1 : found;
}

/** Before it the template shows no reasoning in any view, so that there is none to keep. */
function firstQueryIndex(messages: readonly ChatMessage[]): number {
  const found = messages.findIndex(isQuery);
  return found < 0 ? messages.length - 1 : found;
}

function writePreamble(list: SegmentList, first: ChatMessage | undefined, tools: string | null): void {
  const system = first?.role === 'system' ? first : null;
  const definitions = readTools(tools);
  if (definitions.length === 0) {
    if (system === null) return;
    list.glue('<|im_start|>system\n', 'context', system.turn);
    writeContext(list, system);
    list.glue('<|im_end|>\n', 'context', system.turn);
    return;
  }
  list.glue('<|im_start|>system\n', 'context', system?.turn ?? -1);
  if (system !== null) {
    writeContext(list, system);
    list.glue('\n\n', 'context', system.turn);
  }
  list.glue(TOOLS_BEFORE, 'context', -1);
  for (const tool of definitions) list.words(`\n${toPythonJson(tool)}`, 'context', -1, -1);
  list.glue(`${TOOLS_AFTER}<|im_end|>\n`, 'context', -1);
}

function writeContext(list: SegmentList, { content, turn }: ChatMessage): void {
  list.range({
    turn,
    field: content,
    start: 0,
    end: content.text.length,
    part: 'context',
    between: 'context',
  });
}

interface Range {
  readonly field: Field;
  readonly start: number;
  readonly end: number;
}

interface Thinking {
  readonly reasoning: Range | null;
  readonly content: Range;
  /** span that holds the closing tag, where the think block was recorded in the content; else -1 */
  readonly tagSpan: number;
  /** the template drops text before the opening tag or between closing tags */
  readonly drops: boolean;
}

/** Takes reasoning from its own field, else from inside the content as the template does. */
function splitThinking({ content, reasoning }: ChatMessage): Thinking {
  const { text } = content;
  const close = reasoning === null ? text.indexOf(END_THINK) : -1;
  if (close < 0) {
    return {
      reasoning: reasoning && { field: reasoning, start: 0, end: reasoning.text.length },
      content: { field: content, start: 0, end: text.length },
      tagSpan: -1,
      drops: false,
    };
  }
  const lastClose = text.lastIndexOf(END_THINK);
  const end = stripEnd(text, 0, close);
  const open = text.slice(0, end).lastIndexOf(THINK);
  const start = stripStart(text, open < 0 ? 0 : open + THINK.length, end);
  const after = lastClose + END_THINK.length;
  return {
    reasoning: { field: content, start, end },
    content: { field: content, start: stripStart(text, after, text.length), end: text.length },
    tagSpan: spanAt(content, close),
    drops: !isLeftOut(text.slice(close, after)) || (open > 0 && !isLeftOut(text.slice(0, open))),
  };
}

/** Writes one assistant turn; false where the template left out some of what was recorded. */
function writeAssistant(
  list: SegmentList,
  message: ChatMessage,
  { afterQuery, last }: { afterQuery: boolean; last: boolean },
): boolean {
  const { turn, calls } = message;
  const { reasoning, content, tagSpan, drops } = splitThinking(message);
  const shown = afterQuery && (last || !isEmpty(reasoning));
  const thought = reasoning === null ? null : strip(reasoning);
  list.glue('<|im_start|>assistant\n', 'header', turn);
  if (shown) writeThinking(list, { turn, thought, tagSpan });
  const start = shown ? stripStart(content.field.text, content.start, content.end) : content.start;
  list.range({ turn, field: content.field, start, end: content.end, part: null, between: 'text' });
  calls.forEach((call, k) => {
    if (k > 0 || !isEmpty(content)) list.glue('\n', 'call_frame', turn, call.span);
    list.glue('<tool_call>\n{"name": "', 'call_frame', turn, call.span);
    list.words(call.name, 'tool_call', turn, call.span);
    list.glue('", "arguments": ', 'call_frame', turn, call.span);
    list.words(call.arguments, 'tool_call', turn, call.span);
    list.glue('}\n</tool_call>', 'call_frame', turn, call.span);
  });
  list.glue('<|im_end|>', 'stop', turn);
  list.glue('\n', 'separator', turn);
  // a thought of white space alone is none that the turn could lack
  return !drops && (shown || thought === null || isLeftOut(textOf(thought)));
}

function writeThinking(
  list: SegmentList,
  { turn, thought, tagSpan }: { turn: number; thought: Range | null; tagSpan: number },
): void {
  if (thought === null || isEmpty(thought)) {
    const block = `${THINK}\n\n${END_THINK}\n\n`;
    if (tagSpan >= 0) list.glue(block, 'think_frame', turn, tagSpan);
    else list.glue(block, 'empty_think', turn);
    return;
  }
  const { field, start, end } = thought;
  list.glue(`${THINK}\n`, 'think_frame', turn, spanAt(field, start));
  list.range({ turn, field, start, end, part: 'reasoning', between: 'think_frame' });
  list.glue(`\n${END_THINK}\n\n`, 'think_frame', turn, spanAt(field, end - 1));
}

function isEmpty(range: Range | null): boolean {
  return range === null || range.start >= range.end;
}

function textOf({ field, start, end }: Range): string {
  return field.text.slice(start, end);
}

function strip({ field, start, end }: Range): Range {
  const from = stripStart(field.text, start, end);
  return { field, start: from, end: stripEnd(field.text, from, end) };
}

function stripStart(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text[at] === '\n') at++;
  return at;
}

function stripEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text[at - 1] === '\n') at--;
  return at;
}
