import { comparableConfig } from './comparable-plan.js';
import { type ConfigDifference, configDifferences } from './config-difference.js';
import type { PlanBody } from './plan.js';

/** Differences that a sentence names; the others are counted. */
const NAMED = 6;

/** What makes two plans different, as the middle of a sentence: options, files, versions; `then` is the older one. */
export function planDifference(then: PlanBody, now: PlanBody): string {
  const sentences = new Set(configDifferences(comparable(then), comparable(now)).map(sentence));
  if (sentences.size === 0) return 'the inputs are cut into tasks otherwise';
  const named = [...sentences].slice(0, NAMED);
  const others = sentences.size - named.length;
  return `${named.join('; ')}${others === 0 ? '' : `; and ${others} more`}`;
}

/** What decides a corpus, with the version of the tool and what it was decontaminated against. */
function comparable(body: PlanBody): unknown {
  const texts = Object.fromEntries(body.decontamination.texts.map(({ name, sha256 }) => [name, sha256]));
  const lists = Object.fromEntries(body.decontamination.lists.map(({ name, ids }) => [name, ids]));
  return {
    tool_version: body.tool_version,
    ...(comparableConfig(body) as object),
    decontamination: { lists, texts },
  };
}

/** Files, records and hashes change as wholes: which one is of interest, not how. */
const WHOLES: readonly { readonly path: RegExp; readonly name: string }[] = [
  { path: /^inputs\.(.+)$/s, name: 'input' },
  { path: /^task_records\.([^.]+)/, name: 'task record' },
  { path: /^decontamination\.(?:texts|lists)\.(.+)$/s, name: 'decontamination by' },
  { path: /^adapters\.([^.]+)/, name: 'version of format' },
  { path: /^tokenizer_sha256$/, name: 'the tokenizer' },
  { path: /^template_sha256$/, name: 'the chat template' },
];

function sentence({ path, a, b }: ConfigDifference): string {
  for (const { path: pattern, name } of WHOLES) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const what = a === undefined ? 'is new' : b === undefined ? 'is gone' : 'changed';
    return found[1] === undefined ? `${name} ${what}` : `${name} ${found[1]} ${what}`;
  }
  return `${path.replace(/^config\./, '')} was ${shown(a)}, now ${shown(b)}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
