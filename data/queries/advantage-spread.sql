-- Spread of rewards within groups
-- A group is all sequences of a task. Of the mean reward of each sequence: mean, standard deviation (of the population) and range. A group without spread teaches nothing to a trainer that compares within groups.
-- param least number = 2: groups of at least so many paid sequences
SELECT
  task_id,
  count(*) AS sequences,
  round(avg(reward), 4) AS mean_reward,
  round(stddev_pop(reward), 4) AS deviation,
  round(max(reward) - min(reward), 4) AS range
FROM (
  SELECT task_id, sequence_id, avg(reward) AS reward
  FROM windows
  WHERE sequence_id IS NOT NULL AND reward IS NOT NULL
  GROUP BY task_id, sequence_id
)
GROUP BY task_id
HAVING count(*) >= CAST($least AS BIGINT)
ORDER BY deviation, task_id
