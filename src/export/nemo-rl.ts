import type { StoredMessage } from '../chat/messages.js';
import type { MessageExporter } from './exporter.js';
import { plainMessage, rawTools } from './plain-messages.js';

/** NeMo-RL refuses a conversation that does not end with an answer; what comes after the last one is not trained. */
function untilLastAnswer(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role === 'assistant') + 1);
}

export const NEMO_RL: MessageExporter = {
  name: 'nemo-rl',
  title: 'NeMo-RL SFT, openai_format',
  takes: 'messages',
  trains: 'nemo-rl',
  perMessage: false,
  files: ['data.jsonl: messages, message_loss_mask, tools'],
  takesOptions: [],
  notes: [
    'Every assistant message is trained, with its header unless add_generation_prompt is set; versions that know ' +
      'message_loss_mask leave out those that our mask leaves out.',
    'A conversation ends with its last answer, as NeMo-RL demands.',
    'use_preserving_dataset: true keeps rows as they are; without it columns fill absent fields with nulls.',
    'A row over max_total_sequence_length is not cut but loses all weight.',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('data.jsonl');
    let cut = 0;
    for await (const { messages, tools } of rows) {
      const kept = untilLastAnswer(messages);
      cut += messages.length - kept.length;
      await file.append({
        messages: kept.map(plainMessage),
        message_loss_mask: kept.map(({ role, trained }) =>
          role === 'assistant' && trained === true ? 1 : 0,
        ),
        tools: rawTools(tools),
      });
    }
    await file.close();
    return { messages_cut_after_the_last_answer: cut };
  },
};
