-- Scores along the trajectories
-- Graded windows in order, with the score before, the trend and the reward: the curve of each trajectory.
-- param task text: this task only
-- param trajectory text: the trajectory whose id begins so
SELECT
  trajectory_id,
  task_id,
  row_number() OVER (PARTITION BY source_path, trajectory_id ORDER BY turn_start, window_id) AS submission,
  turn_end,
  score,
  score_scale,
  previous_score,
  trend,
  outcome,
  reward
FROM windows
WHERE score IS NOT NULL
  AND ($task IS NULL OR task_id = $task)
  AND ($trajectory IS NULL OR starts_with(trajectory_id, $trajectory))
ORDER BY task_id, source_path, trajectory_id, submission
