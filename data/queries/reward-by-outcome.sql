-- Reward by outcome
-- How windows ended, what they were paid, and their share of all windows and of all trained tokens.
-- param task text: this task only
SELECT
  outcome,
  count(*) AS windows,
  round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent_of_windows,
  round(avg(reward), 3) AS mean_reward,
  sum(n_trained)::BIGINT AS trained_tokens,
  round(100.0 * sum(n_trained) / nullif(sum(sum(n_trained)) OVER (), 0), 1) AS percent_of_tokens
FROM windows
WHERE $task IS NULL OR task_id = $task
GROUP BY outcome
ORDER BY mean_reward NULLS FIRST, outcome
