-- Slowest executions
-- What took longest to run, and how it ended.
-- param top number = 20: how many
SELECT task_id, source_path, execution_id, kind, status, seconds, exit_code, score_test
FROM executions
WHERE seconds IS NOT NULL
ORDER BY seconds DESC, source_path, execution_id
LIMIT CAST($top AS BIGINT)
