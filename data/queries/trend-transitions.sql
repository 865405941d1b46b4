-- Trend transitions
-- From the trend of one graded window to that of the next one of the same trajectory: does what rose go on rising?
SELECT "from", "to", count(*) AS times
FROM (
  SELECT
    lag(trend) OVER later AS "from",
    trend AS "to"
  FROM windows
  WHERE trend IS NOT NULL
  WINDOW later AS (PARTITION BY source_path, trajectory_id ORDER BY turn_start, window_id)
)
WHERE "from" IS NOT NULL
GROUP BY ALL
ORDER BY times DESC, "from", "to"
