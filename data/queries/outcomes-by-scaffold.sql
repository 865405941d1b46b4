-- Outcomes by scaffold and model
-- One row for each scaffold and model: windows by the way they ended, one column an outcome.
-- param task text: this task only
SELECT
  scaffold,
  model,
  count(*) AS windows,
  count(*) FILTER (outcome = 'error') AS error,
  count(*) FILTER (outcome = 'no_submission') AS no_submission,
  count(*) FILTER (outcome = 'below_medal') AS below_medal,
  count(*) FILTER (outcome = 'bronze') AS bronze,
  count(*) FILTER (outcome = 'silver') AS silver,
  count(*) FILTER (outcome = 'gold') AS gold,
  count(*) FILTER (outcome = 'ungraded') AS ungraded,
  count(*) FILTER (outcome = 'infrastructure') AS infrastructure
FROM windows
WHERE $task IS NULL OR task_id = $task
GROUP BY scaffold, model
ORDER BY windows DESC, scaffold, model
