import { parseJsonText } from '../logs/json.js';
import type { Siblings } from './adapter.js';
import { asArray, asString, hasKeys, isObject } from './shape.js';

/** The environment's own record of a run, which lies beside the messages. */
export interface DojoHistory {
  readonly competition: string | null;
  readonly actions: readonly DojoAction[];
}

export interface DojoAction {
  readonly action: string;
  /** when its result was recorded */
  readonly timestamp: string | null;
  readonly result: unknown;
  /** the text that the agent was shown, without the scaffold's frame */
  readonly feedback: string | null;
}

const HISTORY_NAME = 'env_history';
const MESSAGES_NAME = 'agent_trajectory';
/** As the environment itself lays a run out, where published ones have both files in one folder. */
const APART = {
  messages: { own: 'trajectory.json', other: '../agent_history/trajectory.json' },
  history: { own: 'history.json', other: '../env_history/history.json' },
} as const;

export function isHistory(value: unknown): boolean {
  return hasKeys(value, 'competition', 'actions') && Array.isArray(value['actions']);
}

/** The history in a sibling's text, or null where it is none. */
export function parseHistory(text: string): DojoHistory | null {
  let value: unknown;
  try {
    value = parseJsonText(text.trimEnd()).value;
  } catch {
    return null;
  }
  if (!isHistory(value) || !isObject(value)) return null;
  const actions = asArray(value['actions']).map(toAction);
  return { competition: asString(value['competition']), actions };
}

function toAction(value: unknown): DojoAction {
  const action = isObject(value) ? value : {};
  const feedback = action['feedback'];
  const base = isObject(feedback) ? feedback['base'] : null;
  return {
    action: asString(action['action']) ?? '',
    timestamp: asString(action['timestamp']),
    result: action['result'],
    feedback: isObject(base) ? asString(base['feedback']) : null,
  };
}

/** Name of the history that belongs to a message file, by the names of the folder. */
export function historyOf(own: string, names: readonly string[]): string | null {
  const { messages, history } = APART;
  if (own === messages.own && names.includes(history.other)) return history.other;
  return pairs([...names, own]).find(({ messages }) => messages === own)?.history ?? null;
}

/** Name of the message file that a history belongs to. */
export function messagesOf(own: string, names: readonly string[]): string | null {
  const { messages, history } = APART;
  if (own === history.own && names.includes(messages.other)) return messages.other;
  return pairs([...names, own]).find(({ history }) => history === own)?.messages ?? null;
}

/**
 * Pairs names that are equal but for `agent_trajectory` and `env_history`. Failing that, a folder's only file of each
 * kind are a pair, and so are a history and the only other .json file beside it.
 */
function pairs(names: readonly string[]): { messages: string; history: string }[] {
  const json = names.filter((name) => name.endsWith('.json'));
  const histories = json.filter((name) => name.includes(HISTORY_NAME));
  const messages = json.filter((name) => !name.includes(HISTORY_NAME) && name.includes(MESSAGES_NAME));
  const others = json.filter((name) => !name.includes(HISTORY_NAME));
  const byKey = messages.flatMap((name) => {
    const history = histories.find(
      (other) => other.replace(HISTORY_NAME, '') === name.replace(MESSAGES_NAME, ''),
    );
    return history === undefined ? [] : [{ messages: name, history }];
  });
  if (byKey.length > 0) return byKey;
  const [history] = histories;
  const [only] = messages.length > 0 ? messages : others;
  const count = messages.length > 0 ? messages.length : others.length;
  if (histories.length !== 1 || count !== 1 || history === undefined || only === undefined) return [];
  return [{ messages: only, history }];
}

/** The history beside a message file, with its name. */
export function readHistory(
  path: string,
  siblings: Siblings,
): { name: string; history: DojoHistory | null } | null {
  const own = path.slice(path.lastIndexOf('/') + 1);
  const name = historyOf(own, siblings.names);
  if (name === null) return null;
  const text = siblings.readText(name, 'environment history: scores and the last feedback');
  return text === null ? null : { name, history: parseHistory(text) };
}
