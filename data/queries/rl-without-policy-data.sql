-- Sequences without recorded policy data
-- Sequences whose log-probabilities were not recorded when they were sampled, by scaffold and model: importance ratios cannot be taken of them.
SELECT
  scaffold,
  model,
  count(*) AS sequences,
  count(*) FILTER (policy_data = 'offline') AS offline,
  count(*) FILTER (weight_version IS NULL) AS without_weight_version,
  sum(len(input_ids)) FILTER (policy_data = 'offline')::BIGINT AS offline_tokens
FROM rl
GROUP BY scaffold, model
HAVING offline > 0
ORDER BY offline DESC, scaffold, model
