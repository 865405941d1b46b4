// Writes data/tasks/mlebench.json from a table of MLE-bench thresholds (one object a competition, as the
// leaderboards give them). Usage: node scripts/make-task-records.mjs THRESHOLDS.json
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [source] = process.argv.slice(2);
if (source === undefined) {
  console.error('usage: node scripts/make-task-records.mjs THRESHOLDS.json');
  process.exit(2);
}

const rows = JSON.parse(readFileSync(source, 'utf8'));
const records = rows
  .map((row) => ({
    task_id: row.competition_id,
    origin: 'official',
    is_lower_better: row.is_lower_better,
    thresholds: {
      gold: row.gold_threshold,
      silver: row.silver_threshold,
      bronze: row.bronze_threshold,
      median: row.median_threshold,
    },
    threshold_source: 'leaderboard',
    n_teams: row.num_teams,
    split: row.split,
    provenance: row.source.startsWith('MLE-Dojo/')
      ? 'private leaderboard in github.com/MLE-Dojo/MLE-Dojo at 667a8fd; medal rules of MLE-bench'
      : 'private leaderboard of github.com/openai/mle-bench at 783b15a; medal rules of MLE-bench',
  }))
  .sort((a, b) => (a.task_id < b.task_id ? -1 : 1));

const target = fileURLToPath(new URL('../data/tasks/mlebench.json', import.meta.url));
writeFileSync(target, `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`);
console.log(`${records.length} task records written`);
