-- Flags
-- Flags of the trajectories: how many carry each, and what became of those.
SELECT
  flag,
  count(*) AS trajectories,
  count(*) FILTER (decision = 'kept') AS kept,
  count(DISTINCT source_format) AS formats
FROM (SELECT unnest(flags) AS flag, decision, source_format FROM trajectories)
GROUP BY flag
ORDER BY trajectories DESC, flag
