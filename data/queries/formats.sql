-- Counts by format
-- Trajectories of each raw format and adapter version, and what became of them.
SELECT
  source_format,
  adapter_version,
  count(*) AS trajectories,
  count(*) FILTER (decision = 'kept') AS kept,
  count(*) FILTER (decision = 'filtered') AS filtered,
  count(*) FILTER (decision = 'rejected') AS rejected,
  count(*) FILTER (decision = 'duplicate') AS duplicates,
  sum(n_turns)::BIGINT AS turns,
  sum(n_executions)::BIGINT AS executions
FROM trajectories
GROUP BY source_format, adapter_version
ORDER BY trajectories DESC, source_format, adapter_version
