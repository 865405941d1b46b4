import type { StoredMessage } from '../chat/messages.js';
import type { ExportSink } from './export-sink.js';
import type { MessageExporter } from './exporter.js';
import { callText, withThinkTags, withWrittenCalls } from './plain-messages.js';

interface Utterance {
  readonly from: 'human' | 'observation' | 'gpt' | 'function_call';
  readonly value: string;
}

/**
 * A turn with calls and nothing else is a function_call, whose value must be JSON. Words before a call have no
 * place there, so such a turn is an answer with its calls written out.
 */
function assistantUtterance(message: StoredMessage): Utterance {
  const calls = (message.tool_calls ?? []).map(callText);
  if (calls.length === 0) return { from: 'gpt', value: withThinkTags(message) };
  if (message.content === '') {
    const value = calls.length === 1 ? (calls[0] ?? '') : `[${calls.join(', ')}]`;
    return { from: 'function_call', value: withThinkTags({ ...message, content: value }) };
  }
  return { from: 'gpt', value: withWrittenCalls(message) };
}

function utterance(message: StoredMessage): Utterance {
  if (message.role === 'assistant') return assistantUtterance(message);
  return { from: message.role === 'tool' ? 'observation' : 'human', value: message.content };
}

const isAnswer = ({ from }: Utterance): boolean => from === 'gpt' || from === 'function_call';

/**
 * A conversation as ShareGPT has it, or null where it does not alternate: such a row would be skipped by
 * LLaMA-Factory with a warning. What comes after the last answer is cut: nothing there is trained.
 */
function conversationOf(messages: readonly StoredMessage[]) {
  const [first] = messages;
  const system = first?.role === 'system' ? first.content : undefined;
  const rest = system === undefined ? messages : messages.slice(1);
  if (rest.some(({ role }) => role === 'system')) return null;
  const all = rest.map(utterance);
  const end = all.findLastIndex(isAnswer) + 1;
  const conversations = all.slice(0, end);
  const alternates = conversations.every((each, i) => isAnswer(each) === (i % 2 === 1));
  if (end === 0 || !alternates) return null;
  return { conversations, system, cut: all.length - end };
}

const datasetInfo = (splits: readonly string[]): string => {
  const entries = splits.map((split) => [
    `trajmill_${split}`,
    {
      file_name: `${split}/data.jsonl`,
      formatting: 'sharegpt',
      columns: { messages: 'conversations', system: 'system', tools: 'tools' },
    },
  ]);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
};

export const LLAMA_FACTORY_SHAREGPT: MessageExporter = {
  name: 'llama-factory-sharegpt',
  title: 'LLaMA-Factory, ShareGPT conversations',
  takes: 'messages',
  trains: 'llama-factory',
  perMessage: false,
  skips: (messages) => conversationOf(messages) === null,
  files: ['data.jsonl: conversations, system, tools (a string of JSON)', '../dataset_info.json'],
  takesOptions: [],
  notes: [
    'Every answer is trained; there is no loss flag per message. The tokenised export keeps our mask.',
    'Rows that do not alternate (two tool results or two answers in a row) are left out and counted: ' +
      'LLaMA-Factory would skip them.',
    'A turn with words before its calls is an answer with the calls written in <tool_call> tags, which is the text of ' +
      'the Qwen and Hermes templates and of no other.',
  ],
  finish: (root: ExportSink, splits) => root.text('dataset_info.json', datasetInfo(splits)),
  async export(rows, { sink }) {
    const file = await sink.jsonLines('data.jsonl');
    let left = 0;
    let cut = 0;
    for await (const { messages, tools } of rows) {
      const conversation = conversationOf(messages);
      if (conversation === null) {
        left++;
        continue;
      }
      const { conversations, system } = conversation;
      cut += conversation.cut;
      await file.append({ conversations, system: system ?? '', tools: tools ?? '' });
    }
    await file.close();
    return { rows_left_out_not_alternating: left, messages_cut_after_the_last_answer: cut };
  },
};
