import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/formats/registry.js';
import { REJECT_CODES } from '../../src/logs/reject.js';
import { trajectorySchema } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedDir, sharedFile } from '../shared.js';
import { folderWith, readAll, rejectsOf, trajectoriesOf } from './read-all.js';

/** One real log of each format that has an open one, and its companion. */
const LOGS = [
  'aide_journal/translucent-spaniel_journal.json',
  'atif_trajectory/openagents_login-trace_trajectory.json',
  'mini_swe_agent_traj/github_issue.traj.json',
  'mini_swe_agent_traj/sqlfluff-2419_deepseek-chat_run1.traj.json',
  'mle_dojo/random-acts-of-pizza_agent_trajectory.json',
  'openai_messages_sft/swesmith_ft_xml_example.jsonl',
  'litellm_completion_log/fncall-llm-message.json',
  'swe_agent_traj/function_calling_simple.traj',
  'swe_agent_traj/pydicom-1458_gpt4_test.traj',
  'antigravity_jsonl/cli_small.jsonl',
  'copilot_cli_events_jsonl/small.jsonl',
  'cursor_agent_jsonl/large.jsonl',
  'droid_factory/session_store_large.jsonl',
  'gemini_cli_session/agent-history_gemini_golden.json',
  'gemini_cli_session/agent-history_gemini_tool_error.jsonl',
  'grok_cli/chat_history.jsonl',
  'hermes_agent_json/large.json',
  'kimi_cli_wire_jsonl/subagent_agent-0.jsonl',
  'openhands_sdk_events/goal_events.jsonl',
  'qwen_code_jsonl/system_telemetry.jsonl',
  'aider_chat_md/hello-world-flask.md',
  'claude_code_session_jsonl/agent-history_claude_forked.jsonl',
  'claude_code_session_jsonl/v2.1.17_errors.jsonl',
  'claude_code_stream_json/sample-turns.json',
  'codex_cli_text_log/mlrbench_scope_codex_log.log',
  'codex_rollout_jsonl/agent-history_codex_compaction.jsonl',
  'codex_rollout_jsonl/agent-sessions_codex_schema_drift.jsonl',
  'openclaw_jsonl/large.jsonl',
  'pi_session_jsonl/agent-sessions_pi_small.jsonl',
  'adp_sample_raw/codeactinstruct_sample_raw.json',
  'adp_sample_raw/toucan_1_5m_sample_raw.json',
  'ai_scientist_v1/rl_lr_adaptation_aider.txt',
  'ai_scientist_v2_journal/gradient_cluster_stage1_journal.json',
  'autoresearch_results_tsv/autoresearch-mlx_results.tsv',
  'inspect_ai_log/log_formats.eval',
  'inspect_ai_log/log_message_deduplication.eval',
  'inspect_ai_log/security-guide_2025-05-12.json',
  'langfuse_trace_export/langgraph-2025-08-22.json',
  'langfuse_trace_export/openai-agents-2025-09-30.json',
  'langfuse_trace_export/pydantic-ai-tools-2025-12-04.json',
  'langsmith_batch_ingest/wrap_openai_reasoning_excerpt.json',
  'litellm_completion_log/claude-sonnet-4_1757015046.707.json',
  'mlebench_grading/rdagent_stanford-covid-vaccine_grade.json',
  'reflexion_run_log/alfworld_env_results_trial_0.json',
  'super_benchmark_ipynb/react-super_expert_mera_history.ipynb',
  'super_benchmark_ipynb/react-super_expert_mera_metrics.json',
  'swebench_eval_report/swesmith_run_report.json',
  'tapeagents_tape/data_science_final_tape.json',
  'tapeagents_tape/gsm8k_rl_training_samples.jsonl',
  'tau_bench_results/gpt-4o-airline_tasks0-3_4trials.json',
  'toolbench_dfs_tree/G3_21_ChatGPT_DFS.json',
  'who_and_when_autogen/algorithm-generated_59.json',
] as const;

const HISTORY = 'mle_dojo/random-acts-of-pizza_env_history.json';
const MUTANTS = 24;

/** A small generator with a seed (mulberry32), so that a failing mutant can be made again. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) % below;
  };
}

/** Bytes with a piece cut off, cut out, doubled or flipped. */
function mutateBytes(content: Buffer, random: (below: number) => number): Buffer {
  const at = random(content.length);
  const to = Math.min(content.length, at + 1 + random(200));
  switch (random(4)) {
    case 0:
      return content.subarray(0, at);
    case 1:
      return Buffer.concat([content.subarray(0, at), content.subarray(to)]);
    case 2:
      return Buffer.concat([content.subarray(0, to), content.subarray(at)]);
    default: {
      const flipped = Buffer.from(content);
      for (let flip = 0; flip < 3; flip++) flipped[random(flipped.length)] = random(256);
      return flipped;
    }
  }
}

const STRANGE: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  '',
  'x',
  true,
  [],
  {},
  [[]],
  [null],
  { content: [] },
  'NaN',
];

/** A document with one key gone, or one value of another type, anywhere in it. */
function mutateValue(document: unknown, random: (below: number) => number): unknown {
  const places: { parent: Record<string, unknown> | unknown[]; key: string }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const parent = value as Record<string, unknown>;
    for (const [key, child] of Object.entries(parent)) {
      places.push({ parent, key });
      walk(child);
    }
  };
  walk(document);
  const place = places[random(places.length)];
  if (place === undefined) return document;
  const { parent, key } = place;
  if (random(3) > 0) Object.assign(parent, { [key]: STRANGE[random(STRANGE.length)] });
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return document;
}

function mutateText(content: Buffer, random: (below: number) => number): Buffer {
  if (random(2) === 0) return mutateBytes(content, random);
  const text = content.toString('utf8');
  const whole = parsed(text);
  if (whole !== undefined) return Buffer.from(JSON.stringify(mutateValue(whole, random)));
  const lines = text.split('\n').filter((line) => line !== '');
  const at = random(lines.length);
  const line = parsed(lines[at] ?? '');
  // Text and archives are no JSON: their bytes are all there is to change.
  if (line === undefined) return mutateBytes(content, random);
  lines[at] = JSON.stringify(mutateValue(line, random));
  return Buffer.from(lines.join('\n'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every result is a sound trajectory, a known reject or a sidecar, and there is at least one. */
async function check(name: string, files: Record<string, Buffer>): Promise<string[]> {
  const [path = ''] = Object.keys(files);
  const results = await readAll({ root: folderWith(files), path });
  expect([name, results.length > 0]).toEqual([name, true]);
  for (const trajectory of trajectoriesOf(results)) {
    const parsed = trajectorySchema.safeParse(trajectory);
    expect([name, parsed.success ? null : parsed.error.message]).toEqual([name, null]);
    expect(FORMAT_NAMES).toContain(trajectory.source.format);
  }
  const codes = rejectsOf(results).map((reject) => {
    expect(Object.keys(REJECT_CODES)).toContain(reject.code);
    expect([name, reject.code === 'internal' ? reject.message : null]).toEqual([name, null]);
    return reject.code;
  });
  return [...codes, ...trajectoriesOf(results).map(() => 'read')];
}

describeWithShared('a mutant of a real log', () => {
  const history = sharedDir === null ? null : sharedFile(`logs/${HISTORY}`);
  let historyBytes = Buffer.alloc(0);

  beforeAll(() => {
    if (history !== null) historyBytes = readFileSync(history);
  });

  const seen = new Set<string>();

  it.each(LOGS)('of %s is read or rejected by a code', async (path) => {
    const content = readFileSync(sharedFile(`logs/${path}`));
    const companion = dirname(path) === 'mle_dojo' ? { [basename(HISTORY)]: historyBytes } : {};
    for (let seed = 1; seed <= MUTANTS; seed++) {
      const mutant = mutateText(content, generator(seed));
      const outcome = await check(`${path} seed ${seed}`, { [basename(path)]: mutant, ...companion });
      for (const code of outcome) seen.add(code);
    }
  });

  it('of the history beside the messages never stops them from being read', async () => {
    const path = LOGS[4];
    const content = readFileSync(sharedFile(`logs/${path}`));
    for (let seed = 1; seed <= 2 * MUTANTS; seed++) {
      const mutant = mutateText(historyBytes, generator(seed));
      const files = { [basename(path)]: content, [basename(HISTORY)]: mutant };
      expect(await check(`history seed ${seed}`, files)).toEqual(['read']);
    }
  });

  it('comes out in more than one way', () => {
    for (const code of ['read', 'invalid_json', 'bad_shape']) expect(seen).toContain(code);
  });
});
