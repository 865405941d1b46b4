import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import type { ReadResult } from '../../src/formats/reader.js';
import { discover } from '../../src/logs/discover.js';
import { turnContent } from '../../src/trajectory/build.js';
import { trajectoryId } from '../../src/trajectory/identity.js';
import { trajectorySchema } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { readAll, trajectoriesOf } from './read-all.js';

/** What each real log is, set down by hand: a format, `sidecar`, or the code of its reject. */
const LABELS: Readonly<Record<string, string>> = {
  'adp_sample_raw/code_feedback_sample_raw.json': 'openai-messages',
  'adp_sample_raw/codeactinstruct_sample_raw.json': 'dataset-rows',
  'adp_sample_raw/nebius_SWE-agent-trajectories_sample_raw.json': 'dataset-rows',
  'adp_sample_raw/swe-gym_openhands_sampled_trajectories_sample_raw.json': 'dataset-rows',
  'adp_sample_raw/swe-smith_sample_raw.json': 'dataset-rows',
  'adp_sample_raw/toucan_1_5m_sample_raw.json': 'dataset-rows',
  'ai_scientist_v1/rl_lr_adaptation_aider.txt': 'ai-scientist-v1',
  'ai_scientist_v1/rl_lr_adaptation_run_0_final_info.json': 'sidecar',
  'ai_scientist_v1/rl_lr_adaptation_run_1_final_info.json': 'sidecar',
  'ai_scientist_v1/rl_lr_adaptation_run_2_final_info.json': 'sidecar',
  'ai_scientist_v2_journal/gradient_cluster_stage1_journal.json': 'ai-scientist-v2',
  'ai_scientist_v2_journal/perturbation_uq_stage4_timeouts_journal.json': 'ai-scientist-v2',
  'aide_journal/translucent-spaniel_journal.json': 'aide-journal',
  'aider_chat_md/census.md': 'aider-markdown',
  'aider_chat_md/hello-world-flask.md': 'aider-markdown',
  'antigravity_jsonl/cli_small.jsonl': 'antigravity',
  'atif_trajectory/openagents_login-trace_trajectory.json': 'atif',
  'autoresearch_results_tsv/autoresearch-mlx_pr15_results.tsv': 'autoresearch-tsv',
  'autoresearch_results_tsv/autoresearch-mlx_results.tsv': 'autoresearch-tsv',
  'claude_code_legacy_json/mlrbench_claude_bi_align_claude_output.json': 'claude-code-legacy',
  'claude_code_session_jsonl/agent-history_claude_compaction.jsonl': 'claude-code-session',
  'claude_code_session_jsonl/agent-history_claude_forked.jsonl': 'claude-code-session',
  'claude_code_session_jsonl/agent-sessions_claude_schema_drift.jsonl': 'claude-code-session',
  'claude_code_session_jsonl/empty_file.jsonl': 'empty_file',
  'claude_code_session_jsonl/summary_only.jsonl': 'no_turns',
  'claude_code_session_jsonl/v1.0.24_summaries_thinking.jsonl': 'claude-code-session',
  'claude_code_session_jsonl/v2.0.42_thinking.jsonl': 'claude-code-session',
  'claude_code_session_jsonl/v2.1.114_main_with_subagents.jsonl': 'claude-code-session',
  'claude_code_session_jsonl/v2.1.114_subagent_a4ca.jsonl': 'claude-code-session',
  'claude_code_session_jsonl/v2.1.114_subagent_a4ca.meta.json': 'sidecar',
  'claude_code_session_jsonl/v2.1.17_errors.jsonl': 'claude-code-session',
  'claude_code_stream_json/sample-turns.json': 'claude-code-stream',
  'codex_cli_text_log/mlrbench_scope_codex_log.log': 'codex-text-log',
  'codex_rollout_jsonl/agent-history_codex_compaction.jsonl': 'codex-rollout',
  'codex_rollout_jsonl/agent-history_codex_golden.jsonl': 'codex-rollout',
  'codex_rollout_jsonl/agent-history_real_session-01_redacted.jsonl': 'codex-rollout',
  'codex_rollout_jsonl/agent-sessions_codex_050_legacy.jsonl': 'no_turns',
  'codex_rollout_jsonl/agent-sessions_codex_schema_drift.jsonl': 'codex-rollout',
  'codex_rollout_jsonl/agent-sessions_codex_small.jsonl': 'codex-rollout',
  'copilot_cli_events_jsonl/small.jsonl': 'copilot-cli',
  'cursor_agent_jsonl/large.jsonl': 'cursor',
  'droid_factory/session_store_large.jsonl': 'droid',
  'gemini_cli_session/agent-history_gemini_golden.json': 'gemini-cli',
  'gemini_cli_session/agent-history_gemini_tool_error.jsonl': 'gemini-cli',
  'gemini_cli_session/jsonl_v040.jsonl': 'gemini-cli',
  'gemini_cli_text_log/mlrbench_bi_align_gemini_log.log': 'not_a_trajectory',
  'git_lfs_pointer/mlebench_aide_grading_report.lfs-pointer.json': 'lfs_pointer',
  'grok_cli/chat_history.jsonl': 'grok',
  'hermes_agent_json/large.json': 'hermes',
  'inspect_ai_log/legacy_input-task_2024-11-05.json': 'inspect',
  'inspect_ai_log/log_formats.eval': 'inspect',
  'inspect_ai_log/log_formats.json': 'inspect',
  'inspect_ai_log/log_message_deduplication.eval': 'inspect',
  'inspect_ai_log/security-guide_2025-05-12.json': 'inspect',
  'kimi_cli_wire_jsonl/small.jsonl': 'no_model_turns',
  'kimi_cli_wire_jsonl/subagent_agent-0.jsonl': 'kimi-cli',
  'langfuse_trace_export/langgraph-2025-08-22.json': 'langfuse',
  'langfuse_trace_export/openai-agents-2025-09-30.json': 'langfuse',
  'langfuse_trace_export/pydantic-ai-tools-2025-12-04.json': 'langfuse',
  'langsmith_batch_ingest/wrap_openai_reasoning_excerpt.json': 'langsmith',
  'litellm_completion_log/claude-sonnet-4_1757015046.707.json': 'litellm-completion-log',
  // A bare list of OpenAI messages, taken out of such a log.
  'litellm_completion_log/fncall-llm-message.json': 'openai-messages',
  'mini_swe_agent_traj/github_issue.traj.json': 'mini-swe-agent',
  'mini_swe_agent_traj/local.traj.json': 'mini-swe-agent',
  'mini_swe_agent_traj/pvlib-1154_reasoner_Timeout_0turns.traj.json': 'no_model_turns',
  'mini_swe_agent_traj/sqlfluff-2419_deepseek-chat_run1.traj.json': 'mini-swe-agent',
  'mini_swe_agent_traj/sqlfluff-2419_deepseek-reasoner.traj.json': 'mini-swe-agent',
  'mle_dojo/random-acts-of-pizza_agent_trajectory.json': 'mle-dojo',
  'mle_dojo/random-acts-of-pizza_env_history.json': 'sidecar',
  'mlebench_grading/rdagent_stanford-covid-vaccine_grade.json': 'not_a_trajectory',
  'mlrbench_judge/bi_align_experiments_claude_review.json': 'not_a_trajectory',
  'openai_messages_sft/swesmith_ft_xml_example.jsonl': 'openai-messages',
  'openclaw_jsonl/large.jsonl': 'pi-session',
  'opencode_db_export/messages.json': 'sidecar',
  'opencode_db_export/parts.json': 'opencode-export',
  'opencode_db_export/session_messages.json': 'sidecar',
  'opencode_db_export/sessions.json': 'sidecar',
  'openhands_sdk_events/goal_events.jsonl': 'openhands',
  'pi_session_jsonl/agent-sessions_pi_small.jsonl': 'pi-session',
  'pi_session_jsonl/large-session.jsonl': 'pi-session',
  'qwen_code_jsonl/system_telemetry.jsonl': 'qwen-code',
  'reflexion_run_log/alfworld_env_results_trial_0.json': 'no_model_turns + reflexion',
  'super_benchmark_ipynb/react-super_expert_mera_history.ipynb': 'super-notebook',
  'super_benchmark_ipynb/react-super_expert_mera_metrics.json': 'sidecar',
  'super_benchmark_ipynb/swe-agent_expert_galore_history.ipynb': 'super-notebook',
  'super_benchmark_ipynb/swe-agent_expert_galore_metrics.json': 'sidecar',
  'swe_agent_traj/ctf_crypto_katy.traj': 'swe-agent',
  'swe_agent_traj/function_calling_simple.traj': 'swe-agent',
  'swe_agent_traj/marshmallow-1867_function_calling_replace_from_source.traj': 'swe-agent',
  'swe_agent_traj/pydicom-1458_gpt4_test.traj': 'swe-agent',
  'swe_agent_traj/swesmith_pydantic_pr_8316.traj': 'swe-agent',
  'swebench_eval_report/swesmith_pydantic_pr_8316_report.json': 'not_a_trajectory',
  'swebench_eval_report/swesmith_run_report.json': 'not_a_trajectory',
  'tapeagents_tape/data_science_final_tape.json': 'tapeagents-tape',
  'tapeagents_tape/failed_tape.json': 'tapeagents-tape',
  'tapeagents_tape/gsm8k_rl_training_samples.jsonl': 'tapeagents-training-samples',
  'tau_bench_results/gpt-4o-airline_tasks0-3_4trials.json': 'tau-bench',
  'toolbench_dfs_tree/G1_10_ChatGPT_DFS.json': 'toolbench-tree',
  'toolbench_dfs_tree/G3_21_ChatGPT_DFS.json': 'toolbench-tree',
  'who_and_when_autogen/algorithm-generated_59.json': 'who-and-when',
  'who_and_when_autogen/hand-crafted_51.json': 'who-and-when',
};

/** Several trajectories in one file; every other file gives one result. */
const ROWS: Readonly<Record<string, number>> = {
  'adp_sample_raw/code_feedback_sample_raw.json': 10,
  'adp_sample_raw/codeactinstruct_sample_raw.json': 5,
  'adp_sample_raw/nebius_SWE-agent-trajectories_sample_raw.json': 5,
  'adp_sample_raw/swe-gym_openhands_sampled_trajectories_sample_raw.json': 5,
  'adp_sample_raw/swe-smith_sample_raw.json': 5,
  'inspect_ai_log/security-guide_2025-05-12.json': 3,
  // The agent and its evaluator.
  'langfuse_trace_export/pydantic-ai-tools-2025-12-04.json': 2,
  // 50 environments with a reflection, and one reject for those without.
  'reflexion_run_log/alfworld_env_results_trial_0.json': 51,
  'tapeagents_tape/gsm8k_rl_training_samples.jsonl': 6,
  'tau_bench_results/gpt-4o-airline_tasks0-3_4trials.json': 16,
  // The session and its sub-agent.
  'copilot_cli_events_jsonl/small.jsonl': 2,
  'openai_messages_sft/swesmith_ft_xml_example.jsonl': 3,
  'opencode_db_export/parts.json': 5,
};

describeWithShared('every real log', () => {
  const results = new Map<string, ReadResult[]>();

  beforeAll(async () => {
    const { root, files } = await discover({ globs: [sharedFile('logs')] });
    for (const { path } of files) results.set(path, await readAll({ root, path }));
  });

  it('has a label, and each label a file', () => {
    const logs = [...results.keys()].filter((path) => !path.endsWith('.source.txt'));
    expect(logs.sort()).toEqual(Object.keys(LABELS).sort());
  });

  it('is read as its label says', () => {
    const found = Object.fromEntries([...results].map(([path, list]) => [path, label(list)]));
    const expected = Object.fromEntries(
      [...results.keys()].map((path) => [
        path,
        path.endsWith('.source.txt') ? 'unknown_format' : LABELS[path],
      ]),
    );
    expect(found).toEqual(expected);
  });

  it('gives one result, or one for each row', () => {
    for (const [path, list] of results) expect([path, list.length]).toEqual([path, ROWS[path] ?? 1]);
  });

  it('names in its message what it looks like, where it is known and not read', () => {
    const anonymous = [...results].flatMap(([path, list]) =>
      list.flatMap((result) =>
        result.kind === 'reject' &&
        !path.endsWith('.source.txt') &&
        ['unknown_format', 'not_a_trajectory', 'binary_file'].includes(result.reject.code) &&
        !result.reject.message.startsWith('looks like ')
          ? [path]
          : [],
      ),
    );
    expect(anonymous).toEqual([]);
  });

  it('fits the canonical schema, with consistent references', () => {
    for (const [path, list] of results) {
      for (const trajectory of trajectoriesOf(list)) {
        const parsed = trajectorySchema.safeParse(trajectory);
        expect([path, parsed.success ? null : parsed.error.message]).toEqual([path, null]);
        expect(trajectory.trajectory_id).toBe(trajectoryId(trajectory.turns));
        const { turns } = trajectory;
        for (const execution of trajectory.executions) {
          expect(turns[execution.call_turn]?.role).toBe('assistant');
          if (execution.feedback_turn === null) continue;
          expect(execution.feedback_turn).toBeGreaterThan(execution.call_turn);
          expect(turns[execution.feedback_turn]?.spans.every((span) => span.origin === 'environment')).toBe(
            true,
          );
        }
        const ids = trajectory.executions.map((execution) => execution.execution_id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { execution_id } of trajectory.submissions) {
          // Final answers that a benchmark grades belong to no execution.
          if (execution_id !== null) expect(ids).toContain(execution_id);
        }
      }
    }
  });

  it('keeps the content of each message in its inline spans', () => {
    let messages = 0;
    for (const [path, list] of results) {
      const original = originalContents(path);
      if (original === null) continue;
      for (const [index, trajectory] of trajectoriesOf(list).entries()) {
        const contents = original[index] ?? [];
        contents.forEach((content, turn) => {
          const found = trajectory.turns[turn];
          expect([path, turn, found === undefined ? null : turnContent(found)]).toEqual([
            path,
            turn,
            content,
          ]);
          messages++;
        });
      }
    }
    expect(messages).toBe(75 + 89 + 45 + 20 + 14);
  });
});

function label(results: readonly ReadResult[]): string {
  const labels = results.map((result) => {
    if (result.kind === 'sidecar') return 'sidecar';
    return result.kind === 'reject' ? result.reject.code : result.detection.format;
  });
  return [...new Set(labels)].join(' + ');
}

interface RawMessage {
  readonly content: string | null;
}

/** Contents by trajectory of the files whose messages are strings, read by the test itself. */
function originalContents(path: string): string[][] | null {
  const text = () => readFileSync(sharedFile(`logs/${path}`), 'utf8');
  const contents = (messages: readonly RawMessage[]) => messages.map((message) => message.content ?? '');
  if (path === 'openai_messages_sft/swesmith_ft_xml_example.jsonl') {
    const rows = text()
      .split('\n')
      .filter((line) => line !== '');
    return rows.map((row) => contents((JSON.parse(row) as { messages: RawMessage[] }).messages));
  }
  if (
    path === 'mle_dojo/random-acts-of-pizza_agent_trajectory.json' ||
    path === 'litellm_completion_log/fncall-llm-message.json'
  ) {
    return [contents(JSON.parse(text()) as RawMessage[])];
  }
  return null;
}
