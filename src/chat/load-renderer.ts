import { TrajmillError } from '../errors.js';
import { QWEN3_TEMPLATE_SHA256, qwen3Renderer } from './qwen3.js';
import type { ChatRenderer } from './renderer.js';
import { readTemplate } from './template-source.js';

/** Hand-written renderers, by the sha256 of the template that they stand for. */
const RENDERERS: Readonly<Record<string, ChatRenderer>> = {
  [QWEN3_TEMPLATE_SHA256]: qwen3Renderer,
};

/**
 * Makes a template executable. `template` is a built-in name (`qwen3`), a tokenizer_config.json or a file with
 * the template's text. Throws TrajmillError E_TEMPLATE.
 */
export function loadRenderer({ template }: { template: string }): ChatRenderer {
  const source = readTemplate(template);
  const renderer = RENDERERS[source.sha256];
  if (renderer === undefined) {
    throw new TrajmillError('E_TEMPLATE', `no renderer for this template (sha256 ${source.sha256})`, {
      place: template,
    });
  }
  return renderer;
}
