-- Duplicates
-- Every duplicate with the trajectory that stands for it, and what became of that one.
SELECT
  d.source_path AS duplicate,
  d.byte_start,
  d.reason,
  d.duplicate_of,
  s.source_path AS survivor,
  s.decision AS survivor_decision,
  d.detail
FROM trajectories d
LEFT JOIN trajectories s ON s.trajectory_id = d.duplicate_of AND s.decision <> 'duplicate'
WHERE d.decision = 'duplicate'
ORDER BY d.source_path, d.byte_start, survivor
