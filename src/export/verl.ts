import type { MessageExporter } from './exporter.js';
import { MESSAGES_SCHEMA, messagesRow } from './plain-messages.js';
import { copyVerlDataset, VERL_DATASET_FILE } from './verl-tokens.js';

export const VERL: MessageExporter = {
  name: 'verl',
  title: 'verl SFT, messages',
  takes: 'messages',
  trains: 'verl',
  perMessage: false,
  files: [
    'part-00000.parquet: messages, tools (a string of JSON)',
    `../${VERL_DATASET_FILE}: the dataset class`,
  ],
  takesOptions: [],
  notes: [
    'Every assistant message is trained. verl renders each message alone, which is another text for templates ' +
      'that look at the messages around it (Qwen3’s think blocks): such a row fails an assertion unless ' +
      'data.ignore_input_ids_mismatch is set.',
    'The class MessageRows of the file beside the splits removes the nulls that columns put into messages, and ' +
      'reads tools from their string of JSON; verl’s own class does neither.',
  ],
  finish: copyVerlDataset,
  async export(rows, { sink }) {
    const file = sink.nestedParquetParts(MESSAGES_SCHEMA);
    for await (const { messages, tools } of rows) await file.append(messagesRow(messages, tools));
    await file.close();
    return {};
  },
};
