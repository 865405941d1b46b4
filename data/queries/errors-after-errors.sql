-- Errors after errors
-- Chance that a window fails after one that failed, and after one that did not, by model: who repairs what broke?
SELECT
  model,
  count(*) FILTER (before = 'error') AS after_error,
  round(avg((outcome = 'error')::INTEGER) FILTER (before = 'error'), 3) AS fails_again,
  count(*) FILTER (before <> 'error') AS after_success,
  round(avg((outcome = 'error')::INTEGER) FILTER (before <> 'error'), 3) AS fails_then
FROM (
  SELECT
    model,
    outcome,
    lag(outcome) OVER (PARTITION BY source_path, trajectory_id ORDER BY turn_start, window_id) AS before
  FROM windows
)
WHERE before IS NOT NULL
GROUP BY model
ORDER BY after_error DESC, model
