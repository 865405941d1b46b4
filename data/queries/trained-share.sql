-- Trained share
-- Supervised rows by the share of their tokens that is trained, in steps of ten percent.
SELECT
  10 * least(floor(10.0 * n_trained / n_tokens)::INTEGER, 9) AS from_percent,
  count(*) AS n_rows,
  sum(n_tokens)::BIGINT AS tokens,
  sum(n_trained)::BIGINT AS trained
FROM sft
GROUP BY from_percent
ORDER BY from_percent
