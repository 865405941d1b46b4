-- Reward by task
-- Windows of each task: how many are paid, and the mean, lowest and highest reward of those.
-- param model text: windows of this model only
SELECT
  task_id,
  count(*) AS windows,
  count(reward) AS paid,
  round(avg(reward), 3) AS mean_reward,
  min(reward) AS lowest,
  max(reward) AS highest
FROM windows
WHERE $model IS NULL OR model = $model
GROUP BY task_id
ORDER BY task_id NULLS LAST
