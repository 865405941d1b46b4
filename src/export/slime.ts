import type { StoredMessage } from '../chat/messages.js';
import type { MessageExporter } from './exporter.js';
import { argumentsAsSeen, plainMessage, rawTools } from './plain-messages.js';

function slimeMessage(message: StoredMessage) {
  const plain = plainMessage(message);
  const tool_calls = message.tool_calls?.map((call) => ({
    id: call.id,
    type: call.type,
    function: { name: call.function.name, arguments: argumentsAsSeen(call) },
  }));
  if (message.role !== 'assistant') return plain;
  return { ...plain, tool_calls, step_loss_mask: message.trained === true ? 1 : 0 };
}

export const SLIME: MessageExporter = {
  name: 'slime',
  title: 'slime SFT, messages',
  takes: 'messages',
  trains: 'slime',
  perMessage: true,
  files: ['data.jsonl: prompt (messages with step_loss_mask), tools, metadata'],
  takesOptions: [],
  notes: [
    'Turns that our mask leaves out have step_loss_mask 0. Do not set --apply-chat-template: the messages must ' +
      'reach the mask generator.',
    'The mask generator renders turn by turn and knows the Qwen templates only (--loss-mask-type).',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('data.jsonl');
    for await (const { row_id, messages, tools } of rows) {
      await file.append({
        prompt: messages.map(slimeMessage),
        tools: rawTools(tools),
        metadata: { row_id },
      });
    }
    await file.close();
    return {};
  },
};
