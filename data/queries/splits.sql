-- Splits
-- Rows, tokens, tasks and trajectories of each split of the supervised table.
SELECT
  split,
  count(*) AS n_rows,
  sum(n_tokens)::BIGINT AS tokens,
  sum(n_trained)::BIGINT AS trained,
  count(DISTINCT task_id) AS tasks,
  count(DISTINCT trajectory_id) AS trajectories
FROM sft
GROUP BY split
ORDER BY split
