import type { StoredMessage } from '../chat/messages.js';
import type { MessageExporter } from './exporter.js';
import { withWrittenCalls } from './plain-messages.js';

/**
 * Calls are part of the text: the builder that reads the file hands its renderers columns, in which a message without
 * calls has a null that they cannot read, and calls are not the objects that they want.
 */
function tinkerMessage(message: StoredMessage) {
  const { role, name, tool_call_id } = message;
  const trainable = role === 'assistant' && message.trained === true;
  return { role, content: withWrittenCalls(message), name, tool_call_id, trainable };
}

export const TINKER: MessageExporter = {
  name: 'tinker',
  title: 'tinker-cookbook, conversations',
  takes: 'messages',
  trains: 'tinker',
  perMessage: true,
  files: ['data.jsonl: messages with trainable'],
  takesOptions: [],
  notes: [
    'Every message carries trainable, as train_on_what CUSTOMIZED wants it.',
    'Reasoning stands in the content, in think tags, and calls as the Qwen and Hermes templates write them: the ' +
      'builder of tinker-cookbook cannot read calls from a file. Tool definitions have no place in the file: where a ' +
      'row has some, they are lost, and counted.',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('data.jsonl');
    let lost = 0;
    for await (const { messages, tools } of rows) {
      if (tools !== null) lost++;
      await file.append({ messages: messages.map(tinkerMessage) });
    }
    await file.close();
    return { rows_that_lost_their_tools: lost };
  },
};
