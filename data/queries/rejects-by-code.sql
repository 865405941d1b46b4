-- Rejects by code
-- What was refused and at which stage, with one place and message to begin with.
SELECT
  code,
  stage,
  count(*) AS records,
  count(DISTINCT source) AS sources,
  arg_min(source, (source, byte_start)) AS first_source,
  arg_min(message, (source, byte_start)) AS first_message
FROM rejects
GROUP BY code, stage
ORDER BY records DESC, code, stage
