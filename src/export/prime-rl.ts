import type { MessageExporter } from './exporter.js';
import { MESSAGES_SCHEMA, messagesRow } from './plain-messages.js';

export const PRIME_RL: MessageExporter = {
  name: 'prime-rl',
  title: 'prime-rl SFT, messages',
  takes: 'messages',
  // measured with its renderer for Qwen3
  trains: 'sampled',
  perMessage: false,
  files: ['part-00000.parquet: messages, tools (a string of JSON)'],
  takesOptions: [],
  notes: [
    'prime-rl renders and masks with its own renderer, which must know the model; every assistant message is trained.',
    'A row without a stop token among its trained tokens fails an assertion of the trainer.',
  ],
  async export(rows, { sink }) {
    const file = sink.nestedParquetParts(MESSAGES_SCHEMA);
    for await (const { messages, tools } of rows) await file.append(messagesRow(messages, tools));
    await file.close();
    return {};
  },
};
