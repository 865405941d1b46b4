-- Rows whose ids differ
-- Supervised rows whose ids differ from the template's own rendering, and tokens across the edge of trained text, by reason.
SELECT
  coalesce(reason, 'ids equal the rendering') AS reason,
  count(*) AS n_rows,
  sum(straddled_tokens)::BIGINT AS straddled_tokens
FROM (
  SELECT straddled_tokens, unnest(CASE WHEN len(ids_differ_because) = 0 THEN [NULL] ELSE ids_differ_because END) AS reason
  FROM sft
)
GROUP BY reason
ORDER BY n_rows DESC, reason
