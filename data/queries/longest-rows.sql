-- Longest rows
-- The longest supervised rows, with where they come from: what a sequence length would cut or drop.
-- param top number = 20: how many
SELECT row_id, task_id, source_path, rules, n_tokens, n_trained, n_turns
FROM sft
ORDER BY n_tokens DESC, row_id
LIMIT CAST($top AS BIGINT)
