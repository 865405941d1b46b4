import type { FormatAdapter } from './adapter.js';
import { aiScientistV2 } from './ai-scientist-v2.js';
import { aideJournal } from './aide-journal.js';
import { atif } from './atif.js';
import { claudeCodeSession } from './claude-code-session.js';
import { miniSweAgent } from './mini-swe-agent.js';
import { mleDojo } from './mle-dojo.js';
import { openaiMessages } from './openai-messages.js';
import { rllmEpisode } from './rllm-episode.js';
import { sweAgent } from './swe-agent.js';

/** Every format that is read, in the order in which detection asks them. */
export const FORMATS: readonly FormatAdapter[] = [
  aideJournal,
  aiScientistV2,
  rllmEpisode,
  sweAgent,
  miniSweAgent,
  atif,
  mleDojo,
  claudeCodeSession,
  openaiMessages,
];

export const FORMAT_NAMES: readonly string[] = FORMATS.map((format) => format.name);

export function formatNamed(name: string): FormatAdapter | null {
  return FORMATS.find((format) => format.name === name) ?? null;
}
