-- Files
-- Size of each table and split: shards, rows, tokens and bytes, and bytes a row.
SELECT
  table_name,
  split,
  count(*) AS shards,
  sum(rows)::BIGINT AS n_rows,
  sum(tokens)::BIGINT AS tokens,
  sum(bytes)::BIGINT AS bytes,
  round(sum(bytes) / nullif(sum(rows), 0), 1) AS bytes_a_row
FROM files
GROUP BY table_name, split
ORDER BY bytes DESC, table_name, split
