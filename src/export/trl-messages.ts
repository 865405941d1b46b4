import type { MessageExporter } from './exporter.js';
import { MESSAGES_SCHEMA, messagesRow } from './plain-messages.js';

export const TRL_MESSAGES: MessageExporter = {
  name: 'trl-messages',
  title: 'TRL SFTTrainer, messages',
  takes: 'messages',
  trains: 'trl',
  perMessage: false,
  files: ['part-00000.parquet: messages, tools (a string of JSON)'],
  takesOptions: [],
  notes: [
    'With assistant_only_loss every assistant message is trained, whatever our mask says of it; without, every token.',
    'TRL renders with the template of the model. Where that has no generation tags it takes its own training template, ' +
      'if it knows the template to the letter; else it refuses, and the tokenizer must be given one.',
    'Arguments of calls are strings of JSON. A template that expects objects writes them with quotes.',
  ],
  async export(rows, { sink }) {
    const file = sink.nestedParquetParts(MESSAGES_SCHEMA);
    for await (const { messages, tools } of rows) await file.append(messagesRow(messages, tools));
    await file.close();
    return {};
  },
};
