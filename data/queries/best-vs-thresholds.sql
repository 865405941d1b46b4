-- Best score against the thresholds
-- Best score of each trajectory, the thresholds of its task, and the best tier that the score reaches in its direction.
-- param task text: this task only
SELECT
  t.trajectory_id,
  t.source_path,
  t.task_id,
  t.best_score,
  k.median,
  k.bronze,
  k.silver,
  k.gold,
  CASE
    WHEN t.best_score IS NULL OR k.task_id IS NULL THEN NULL
    WHEN (k.is_lower_better AND t.best_score <= k.gold) OR (NOT k.is_lower_better AND t.best_score >= k.gold) THEN 'gold'
    WHEN (k.is_lower_better AND t.best_score <= k.silver) OR (NOT k.is_lower_better AND t.best_score >= k.silver) THEN 'silver'
    WHEN (k.is_lower_better AND t.best_score <= k.bronze) OR (NOT k.is_lower_better AND t.best_score >= k.bronze) THEN 'bronze'
    WHEN (k.is_lower_better AND t.best_score <= k.median) OR (NOT k.is_lower_better AND t.best_score >= k.median) THEN 'median'
    ELSE 'below'
  END AS reaches,
  t.decision
FROM trajectories t
LEFT JOIN tasks k USING (task_id)
WHERE t.n_submissions > 0 AND ($task IS NULL OR t.task_id = $task)
ORDER BY t.task_id, (t.best_score IS NULL), CASE WHEN k.is_lower_better THEN t.best_score ELSE -t.best_score END, t.source_path
