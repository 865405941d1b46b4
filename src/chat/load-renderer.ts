import { TrajmillError } from '../errors.js';
import { RejectError } from '../logs/reject.js';
import { JinjaRenderer } from './jinja-engine.js';
import { PROBES } from './probes.js';
import { QWEN3_TEMPLATE_SHA256, qwen3Renderer } from './qwen3.js';
import type { ChatRenderer, RenderInput } from './renderer.js';
import { readTemplate, type TemplateSource } from './template-source.js';

export interface LoadRendererOptions {
  /** a built-in name (`qwen3`), a tokenizer_config.json, or a file with the template's text */
  readonly template: string;
  /** what the template's strftime_now tells; without it a template that asks for the date refuses */
  readonly date?: Date | null;
}

/** Hand-written renderers, by the sha256 of the template that they stand for. */
const WRITTEN: ReadonlyMap<string, ChatRenderer> = new Map([[QWEN3_TEMPLATE_SHA256, qwen3Renderer]]);

/**
 * Makes a template executable: by a renderer written for it, once that has proved itself equal on probe
 * conversations, else by the engine. Throws TrajmillError E_TEMPLATE for a template that cannot be read or that
 * uses what is not supported.
 */
export function loadRenderer({ template, date }: LoadRendererOptions): ChatRenderer {
  const source = readTemplate(template);
  refuseUnknownTokens(source);
  return rendererOf(source, date);
}

/** A token that a bare template prints would be left out without a word, where trainers print it. */
function refuseUnknownTokens({ name, text, tokens, specials }: TemplateSource): void {
  if (Object.keys(tokens).length > 0 || specials.length > 0) return;
  const token = /\b(?:bos|eos)_token\b/.exec(text)?.[0];
  if (token === undefined) return;
  throw new TrajmillError(
    'E_TEMPLATE',
    `the template names ${token}: put it beside the tokenizer_config.json that tells it`,
    { place: name },
  );
}

/** The same for a template at hand. */
export function rendererOf(source: TemplateSource, date: Date | null = null): ChatRenderer {
  const engine = new JinjaRenderer(source, { date });
  const written = WRITTEN.get(source.sha256);
  if (written === undefined) return engine;
  assertEqual(written, engine);
  return written;
}

/** Throws TrajmillError E_TEMPLATE where two renderers give different texts. */
export function assertEqual(written: ChatRenderer, engine: ChatRenderer): void {
  PROBES.forEach((probe, number) => {
    if (textOf(written, probe) !== textOf(engine, probe)) {
      throw new TrajmillError(
        'E_TEMPLATE',
        `the renderer ${written.name} differs from its template on probe ${number}`,
      );
    }
  });
}

function textOf(renderer: ChatRenderer, probe: RenderInput): string | null {
  try {
    return renderer
      .render(probe)
      .segments.map((segment) => segment.text)
      .join('');
  } catch (error) {
    if (error instanceof RejectError) return null;
    throw error;
  }
}
