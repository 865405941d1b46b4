-- Tokens by task
-- Supervised rows of each task: tokens, trained tokens, their share of the rows, and the share of the task in all that is trained.
-- param split text: rows of this split only
SELECT
  task_id,
  count(*) AS n_rows,
  sum(n_tokens)::BIGINT AS tokens,
  sum(n_trained)::BIGINT AS trained,
  round(100.0 * sum(n_trained) / sum(n_tokens), 1) AS percent_trained,
  round(100.0 * sum(n_trained) / sum(sum(n_trained)) OVER (), 1) AS percent_of_corpus
FROM sft
WHERE $split IS NULL OR split = $split
GROUP BY task_id
ORDER BY trained DESC, task_id
