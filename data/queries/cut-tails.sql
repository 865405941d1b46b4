-- Cut tails
-- Supervised rows behind whose anchor something was cut, by task: turns and tokens that are not trained.
SELECT
  task_id,
  count(*) AS n_rows,
  count(*) FILTER (cut_turns > 0) AS with_tail,
  sum(cut_turns)::BIGINT AS cut_turns,
  sum(cut_tokens)::BIGINT AS cut_tokens,
  max(cut_tokens) AS longest_tail
FROM sft
GROUP BY task_id
ORDER BY cut_tokens DESC, task_id
