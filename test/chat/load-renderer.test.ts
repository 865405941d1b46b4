import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import { assertEqual, loadRenderer } from '../../src/chat/load-renderer.js';
import { qwen3Renderer } from '../../src/chat/qwen3.js';
import type { ChatRenderer } from '../../src/chat/renderer.js';
import { readTemplate } from '../../src/chat/template-source.js';
import { contentSpan, makeTurn } from '../../src/trajectory/build.js';

const folder = mkdtempSync(join(tmpdir(), 'templates-'));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('loadRenderer', () => {
  it('knows a template by its text, wherever it lies', () => {
    expect(loadRenderer({ template: 'qwen3' })).toBe(qwen3Renderer);
    const copy = file('copy.jinja', readTemplate('qwen3').text);
    expect(loadRenderer({ template: copy })).toBe(qwen3Renderer);
  });

  it('runs any other template', () => {
    const other = file('other.jinja', '{% for m in messages %}<s>{{ m.content }}</s>{% endfor %}');
    expect(loadRenderer({ template: other })).toBeInstanceOf(JinjaRenderer);
  });

  it('takes the default of several templates and the special tokens of a config', () => {
    const config = {
      bos_token: { content: '<b>' },
      added_tokens_decoder: { 1: { content: '<e>', special: true }, 2: { content: '<t>', special: false } },
      chat_template: [
        { name: 'rag', template: 'rag' },
        { name: 'default', template: '{{ bos_token }}' },
      ],
    };
    const source = readTemplate(file('tokenizer_config.json', JSON.stringify(config)));
    expect([source.text, source.tokens, source.specials]).toEqual([
      '{{ bos_token }}',
      { bos_token: '<b>' },
      ['<b>', '<e>'],
    ]);
  });

  it.each([
    ['nowhere', 'not found'],
    [file('no.json', '{}'), 'has no chat_template'],
    [file('bad.json', '{'), 'not JSON'],
    [file('bad.jinja', '{{ x.encode() }}'), 'method encode'],
  ])('refuses %s', (template, message) => {
    expect(() => loadRenderer({ template })).toThrow(
      expect.objectContaining({ code: 'E_TEMPLATE', message: expect.stringContaining(message) }),
    );
  });
});

describe('the proof at load', () => {
  const engine = new JinjaRenderer(readTemplate('qwen3'));
  const changed = (change: (text: string) => string): ChatRenderer => ({
    ...qwen3Renderer,
    render: (input) => {
      const rendering = qwen3Renderer.render(input);
      const segments = rendering.segments.map((segment) => ({ ...segment, text: change(segment.text) }));
      return { ...rendering, segments };
    },
  });

  it('passes an equal renderer and finds a different one', () => {
    expect(() => assertEqual(qwen3Renderer, engine)).not.toThrow();
    for (const [from, to] of [
      ['</think>\n\n', '</think>\n'],
      ['": ', '":'],
      ['<|im_start|>user\n<tool_response>', '<|im_start|>user<tool_response>'],
      ['# Tools', '#Tools'],
      ['late', 'early'],
    ] as const) {
      const spoilt = changed((text) => text.replace(from, to));
      expect(() => assertEqual(spoilt, engine)).toThrow(expect.objectContaining({ code: 'E_TEMPLATE' }));
    }
  });
});

describe('special tokens of a bare template', () => {
  it('are those of the tokenizer_config.json beside it, and without one the template is refused', () => {
    const beside = mkdtempSync(join(tmpdir(), 'templates-'));
    const template = join(beside, 'chat_template.jinja');
    writeFileSync(template, '{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}');
    expect(() => loadRenderer({ template })).toThrow(
      expect.objectContaining({ code: 'E_TEMPLATE', message: expect.stringContaining('bos_token') }),
    );
    writeFileSync(join(beside, 'tokenizer_config.json'), '{"bos_token": "<b>"}');
    const turns = [makeTurn('user', [contentSpan('prompt', 'environment', 'x')])];
    const { segments } = loadRenderer({ template }).render({ turns, indices: [0], tools: null });
    expect(segments.map((segment) => segment.text)).toEqual(['<b>', 'x']);
  });
});
