import type { MessageExporter } from './exporter.js';
import { plainMessage, rawTools } from './plain-messages.js';

export const NEMO_RL: MessageExporter = {
  name: 'nemo-rl',
  title: 'NeMo-RL SFT, openai_format',
  takes: 'messages',
  trains: 'nemo-rl',
  perMessage: false,
  files: ['data.jsonl: messages, tools'],
  takesOptions: [],
  notes: [
    'Every assistant message is trained, with its header.',
    'use_preserving_dataset: true keeps rows as they are; without it columns fill absent fields with nulls.',
    'A row over max_total_sequence_length is not cut but loses all weight.',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('data.jsonl');
    for await (const { messages, tools } of rows) {
      await file.append({ messages: messages.map(plainMessage), tools: rawTools(tools) });
    }
    await file.close();
    return {};
  },
};
