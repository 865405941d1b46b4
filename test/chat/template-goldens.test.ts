import { describe, expect, it } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import { readTemplate } from '../../src/chat/template-source.js';
import { RejectError } from '../../src/logs/reject.js';
import { goldenConversations, readGolden } from './golden.js';

const TEMPLATES = ['qwen3', 'deepseek_v3', 'gemma3', 'gemini', 'llama3', 'llama3_1'];

/** The template's text, null where it refuses the messages. */
function orNull(work: () => string): string | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof RejectError) return null;
    throw error;
  }
}

describe.each(TEMPLATES)('%s, as Python Jinja2 renders it', (name) => {
  const golden = readGolden(name);
  const engine = new JinjaRenderer(readTemplate(name), { date: new Date('2025-01-02T03:04:05Z') });

  it('is the template of the golden set', () => {
    expect(engine.sha256).toBe(golden.template_sha256);
    expect(Object.keys(golden.texts).length).toBe(goldenConversations().length);
  });

  it.each(goldenConversations())('$name', ({ name: conversation, turns, tools }) => {
    const input = { turns, indices: turns.map((_, i) => i), tools };
    const text = orNull(() => engine.text(input));
    expect(text).toBe(golden.texts[conversation]);
    const labelled = orNull(() =>
      engine
        .render(input)
        .segments.map((segment) => segment.text)
        .join(''),
    );
    // A rendering may be refused where the text is not: a template that leaves out calls has no right mask.
    if (labelled !== null) expect(labelled).toBe(text);
  });
});

it('templates that print no calls are refused by name', () => {
  const conversation = goldenConversations().find(({ name }) => name === 'tools without system');
  const turns = conversation?.turns ?? [];
  for (const name of ['llama3', 'llama3_1', 'deepseek_v3']) {
    const engine = new JinjaRenderer(readTemplate(name));
    expect(() => engine.render({ turns, indices: [0, 1], tools: null })).toThrow(
      expect.objectContaining({
        code: 'template_error',
        message: 'the template leaves out the call of submit in turn 1',
      }),
    );
  }
});
