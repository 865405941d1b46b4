import type { FormatAdapter } from './adapter.js';
import { aiScientistV1 } from './ai-scientist-v1.js';
import { aiScientistV2 } from './ai-scientist-v2.js';
import { aiSdk } from './ai-sdk.js';
import { aideJournal } from './aide-journal.js';
import { aiderLlmHistory } from './aider-llm-history.js';
import { aiderMarkdown } from './aider-markdown.js';
import { airaDojo } from './aira-dojo.js';
import { amp } from './amp.js';
import { anthropicMessages } from './anthropic-messages.js';
import { antigravity } from './antigravity.js';
import { atif } from './atif.js';
import { autoresearchTsv } from './autoresearch-tsv.js';
import { bedrockConverse } from './bedrock-converse.js';
import { claudeCodeLegacy } from './claude-code-legacy.js';
import { claudeCodeSession } from './claude-code-session.js';
import { claudeCodeStream } from './claude-code-stream.js';
import { cline } from './cline.js';
import { codexExec } from './codex-exec.js';
import { codexRollout } from './codex-rollout.js';
import { codexTextLog } from './codex-text-log.js';
import { convertedSession } from './converted-session.js';
import { copilotCli } from './copilot-cli.js';
import { cursor } from './cursor.js';
import { datasetRows } from './dataset-rows.js';
import { droid } from './droid.js';
import { geminiCli } from './gemini-cli.js';
import { geminiContents } from './gemini-contents.js';
import { goose } from './goose.js';
import { grok } from './grok.js';
import { hermes } from './hermes.js';
import { inspect } from './inspect.js';
import { kimiCli } from './kimi-cli.js';
import { langchainMessages } from './langchain-messages.js';
import { langfuse } from './langfuse.js';
import { langsmith } from './langsmith.js';
import { litellmLog } from './litellm-log.js';
import { miniSweAgent } from './mini-swe-agent.js';
import { mleDojo } from './mle-dojo.js';
import { mleDojoAide } from './mle-dojo-aide.js';
import { mleStar } from './mle-star.js';
import { mlebenchReport } from './mlebench-report.js';
import { mlgym } from './mlgym.js';
import { openaiMessages } from './openai-messages.js';
import { openaiResponses } from './openai-responses.js';
import { opencodeExport } from './opencode-export.js';
import { openhands } from './openhands.js';
import { piSession } from './pi-session.js';
import { pydanticAi } from './pydantic-ai.js';
import { qwenCode } from './qwen-code.js';
import { reflexion } from './reflexion.js';
import { rllmEpisode } from './rllm-episode.js';
import { sharegpt } from './sharegpt.js';
import { superNotebook } from './super-notebook.js';
import { sweAgent } from './swe-agent.js';
import { swebenchReport } from './swebench-report.js';
import { tapeagentsTape } from './tapeagents-tape.js';
import { tapeagentsTrainingSamples } from './tapeagents-training-samples.js';
import { tauBench } from './tau-bench.js';
import { tau2Bench } from './tau2-bench.js';
import { toolbenchTree } from './toolbench-tree.js';
import { traeAgent } from './trae-agent.js';
import { trajmillNative } from './trajmill-native.js';
import { verifiers } from './verifiers.js';
import { verifiersTraces } from './verifiers-traces.js';
import { weave } from './weave.js';
import { whoAndWhen } from './who-and-when.js';

/** Every format that is read, in the order in which detection asks them. */
export const FORMATS: readonly FormatAdapter[] = [
  aideJournal,
  aiScientistV2,
  rllmEpisode,
  sweAgent,
  miniSweAgent,
  atif,
  traeAgent,
  mleDojo,
  mleDojoAide,
  claudeCodeSession,
  claudeCodeLegacy,
  claudeCodeStream,
  codexRollout,
  codexExec,
  cline,
  aiderLlmHistory,
  aiderMarkdown,
  codexTextLog,
  piSession,
  opencodeExport,
  mlgym,
  airaDojo,
  tapeagentsTape,
  tapeagentsTrainingSamples,
  antigravity,
  amp,
  copilotCli,
  cursor,
  droid,
  geminiCli,
  goose,
  grok,
  hermes,
  kimiCli,
  openhands,
  qwenCode,
  inspect,
  tauBench,
  tau2Bench,
  trajmillNative,
  superNotebook,
  datasetRows,
  convertedSession,
  sharegpt,
  aiSdk,
  bedrockConverse,
  pydanticAi,
  anthropicMessages,
  openaiResponses,
  geminiContents,
  swebenchReport,
  mlebenchReport,
  langfuse,
  langsmith,
  weave,
  litellmLog,
  langchainMessages,
  toolbenchTree,
  whoAndWhen,
  reflexion,
  aiScientistV1,
  autoresearchTsv,
  mleStar,
  verifiers,
  verifiersTraces,
  openaiMessages,
];

export const FORMAT_NAMES: readonly string[] = FORMATS.map((format) => format.name);

export function formatNamed(name: string): FormatAdapter | null {
  return FORMATS.find((format) => format.name === name) ?? null;
}
