import type { StoredMessage } from '../chat/messages.js';
import type { MessageExporter } from './exporter.js';
import { callText, withThinkTags } from './plain-messages.js';

/** ms-swift knows calls as messages of their own: the words come first, then one message a call. */
function swiftMessages(message: StoredMessage): Record<string, unknown>[] {
  const { role, tool_calls: calls } = message;
  if (role === 'tool') return [{ role: 'tool_response', content: message.content }];
  if (role !== 'assistant') return [{ role, content: message.content }];
  const loss = message.trained === true;
  const words = withThinkTags(message);
  const called = (calls ?? []).map((call) => ({
    role: 'tool_call',
    content: callText(call),
    loss,
  }));
  if (called.length === 0) return [{ role, content: words, loss }];
  // ms-swift joins the parts of a turn as they are; the Qwen and Hermes templates put a newline after words
  const content = message.content === '' ? words : `${words}\n`;
  return words === '' ? called : [{ role, content, loss }, ...called];
}

export const MS_SWIFT: MessageExporter = {
  name: 'ms-swift',
  title: 'ms-swift SFT, messages',
  takes: 'messages',
  // measured with the template qwen3 and the agent template hermes
  trains: 'trl',
  perMessage: true,
  files: ['data.jsonl: messages with loss, tools (a string of JSON)'],
  takesOptions: [],
  notes: [
    'Turns that our mask leaves out have loss false. Of several calls in one turn the first one’s loss counts for all; ' +
      'they are equal here.',
    'Reasoning stands in the content, in think tags. The agent template of the model decides how calls are written.',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('data.jsonl');
    for await (const { messages, tools } of rows) {
      await file.append({ messages: messages.flatMap(swiftMessages), tools: tools ?? undefined });
    }
    await file.close();
    return {};
  },
};
