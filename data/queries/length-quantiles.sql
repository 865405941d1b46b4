-- Token lengths
-- Quantiles of the length of rows in tokens, for the supervised rows and for the sequences with windows.
SELECT
  "table",
  count(*) AS n_rows,
  quantile_disc(tokens, 0.5) AS p50,
  quantile_disc(tokens, 0.9) AS p90,
  quantile_disc(tokens, 0.99) AS p99,
  max(tokens) AS longest
FROM (
  SELECT 'sft' AS "table", n_tokens AS tokens FROM sft
  UNION ALL
  SELECT 'rl', len(input_ids)::INTEGER FROM rl
)
GROUP BY "table"
ORDER BY "table" DESC
