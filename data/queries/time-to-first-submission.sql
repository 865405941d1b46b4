-- Time to the first submission
-- For each trajectory: executions, turns and seconds of executions up to and with the first one that submitted. Seconds are null where one of those executions has none logged.
-- param task text: this task only
SELECT
  trajectory_id,
  source_path,
  task_id,
  model,
  first."order" + 1 AS executions,
  first.call_turn + 1 AS turns,
  CASE WHEN count(e.seconds) = count(*) THEN round(sum(e.seconds), 3) END AS seconds
FROM (
  SELECT trajectory_id, source_path, min("order") AS "order", arg_min(call_turn, "order") AS call_turn
  FROM executions
  WHERE submitted
  GROUP BY trajectory_id, source_path
) AS first
JOIN executions e USING (trajectory_id, source_path)
WHERE e."order" <= first."order" AND ($task IS NULL OR e.task_id = $task)
GROUP BY trajectory_id, source_path, task_id, model, first."order", first.call_turn
ORDER BY executions DESC, source_path, trajectory_id
