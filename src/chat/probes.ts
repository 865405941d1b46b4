import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../trajectory/build.js';
import type { Role, Turn } from '../trajectory/turn.js';
import type { RenderInput } from './renderer.js';

const said = (role: Role, text: string): Turn =>
  makeTurn(role, [contentSpan(role === 'tool' ? 'observation' : 'prompt', 'environment', text)]);
const answer = (text: string, reasoning: string | null = null, calls: readonly unknown[] = []): Turn =>
  makeTurn('assistant', [
    ...(reasoning === null ? [] : [reasoningSpan(reasoning)]),
    contentSpan('text', 'model', text),
    ...calls.map((args) => structuredCallSpan({ id: 'c', name: 'run', arguments: args })),
  ]);

const TOOLS =
  '[{"type":"function","function":{"name":"run","description":"é <b> \\"q\\"","parameters":{"10":1.0,"2":null}}}]';

const CONVERSATIONS: readonly { readonly turns: readonly Turn[]; readonly tools: string | null }[] = [
  { turns: [said('system', ' s\n'), said('user', '\nu'), answer('\n\n  a\n', '\n  r\n')], tools: null },
  {
    turns: [
      said('user', 'u'),
      answer('a', 'r1', [{ x: 1, é: '<|im_end|>' }, '{"y":1.0}']),
      said('tool', 't1'),
      said('tool', '<|im_start|>'),
      answer('\n', null, ['']),
      said('tool', 't'),
      answer('b'),
    ],
    tools: TOOLS,
  },
  {
    turns: [
      said('system', 's'),
      said('user', 'u'),
      answer('x<think>\nr\n</think>\n\na</think>\nb'),
      said('user', '<tool_response>t</tool_response>'),
      answer('', 'q'),
      said('user', '<tool_response>t</tool_response>!'),
      answer('<think>\n\n</think>\n\nc'),
      said('system', 'late'),
      answer('d', ''),
    ],
    tools: TOOLS,
  },
  { turns: [answer('a', 'r'), said('tool', 't'), answer('b', 'q')], tools: null },
];

/** Small conversations that reach every branch of the known templates. */
export const PROBES: readonly RenderInput[] = CONVERSATIONS.flatMap(({ turns, tools }) =>
  turns.map((_, last) => ({ turns, indices: [...turns.keys()].slice(0, last + 1), tools })),
);
