-- What was not kept, and why
-- Trajectories by decision and reason, with their share of everything that was read.
SELECT
  decision,
  reason,
  count(*) AS trajectories,
  round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent,
  min(detail) AS one_detail
FROM trajectories
GROUP BY decision, reason
ORDER BY decision = 'kept' DESC, trajectories DESC, decision, reason
