import { attempt } from '../attempts.mjs';

const RAW = '    return [float(row[c]) for c in COLUMNS]';
const FILLED = [RAW, '    return [float(row[c]) if row[c] else 27.0 for c in COLUMNS]'];
const STAGES = [
  RAW,
  `    stages = ["dormant", "swelling", "open", "petal_fall"]
    return [float(row[c] or 27.0) for c in COLUMNS] + [float(row["bloom_stage"] == s) for s in stages]`,
];
const POOLING = [
  RAW,
  `    stages = ["dormant", "swelling", "open", "petal_fall"]
    calm_hollow = float(row["wind_ms"]) < 1 and float(row["altitude_m"]) < 300
    numbers = [float(row[c] or 27.0) for c in COLUMNS]
    return numbers + [float(row["bloom_stage"] == s) for s in stages] + [float(calm_hollow)]`,
];

const LOOK = `import csv
from collections import Counter

with open("data/train.csv", newline="") as f:
    rows = list(csv.DictReader(f))
print(len(rows), "nights;", Counter(r["damage"] for r in rows))
for stage in sorted({r["bloom_stage"] for r in rows}):
    part = [int(r["damage"]) for r in rows if r["bloom_stage"] == stage]
    print(f"{stage:11s} {len(part):4d} nights, damaged {sum(part) / len(part):.3f}")
print("empty soil_moisture:", sum(r["soil_moisture"] == "" for r in rows))`;

const BY_TEMPERATURE = `import csv

with open("data/train.csv", newline="") as f:
    rows = sorted(csv.DictReader(f), key=lambda r: float(r["night_low_c"]))
for start in range(0, len(rows), 100):
    part = rows[start:start + 100]
    print(part[0]["night_low_c"], "to", part[-1]["night_low_c"], sum(int(r["damage"]) for r in part) / len(part))`;

// Not real credentials: they stand here to be masked.
const CANARY_KEY = 'AKIAFAKESAMPLE7LOGS2';
const CANARY_TOKEN = 'hf_00FakeTokenOfTheSampleLogs000042';

const READ_CONFIG = `import os

for folder, _, names in os.walk("."):
    for name in sorted(names):
        print(os.path.join(folder, name), os.path.getsize(os.path.join(folder, name)))
print(open("upload.ini").read())`;

export const FROST_SCRIPTS = [
  {
    name: 'frost-dojo-degraded',
    format: 'mle-dojo',
    task: 'sample-frost-damage',
    limit: 10,
    covers: ['first_try_error', 'recovery', 'improvement', 'degraded_tail', 'tail_only_in_sidecar'],
    turns: [
      { info: 'overview', say: 'Let me read what the competition asks for.' },
      { info: 'sample_submission', say: 'Next, the exact shape of the submission file.' },
      { info: 'data_structure', say: 'And which files I have been given.' },
      {
        run: attempt('frost/logistic'),
        say: 'Frost damage should mostly follow the night low, so a plain logistic regression on all numeric columns is a sensible first try.',
      },
      {
        run: attempt('frost/logistic', FILLED),
        say: 'Some soil_moisture cells are empty and float("") fails. I will put a typical value, 27, into the gaps and keep everything else.',
      },
      {
        run: attempt('frost/logistic', STAGES),
        say: ({ last }) =>
          `${last.grade.score} is a start, but the model does not know the bloom stage, and open blossom freezes far sooner than a dormant bud. I add one indicator per stage.`,
      },
      {
        run: attempt('frost/neighbours'),
        say: 'That was the missing piece. For the last action something quite different: perhaps the single most similar night says more than a linear model.',
      },
    ],
  },
  {
    name: 'frost-openai-silver-repeat',
    format: 'openai-messages',
    file: 'rollouts-1.jsonl',
    task: 'sample-frost-damage',
    limit: 10,
    covers: ['silver', 'repeat', 'reasoning'],
    turns: [
      {
        try: LOOK,
        think: 'Before modelling I want the base rate, the effect of the stage and the gaps.',
        say: 'A quick look at the training data first.',
      },
      {
        run: attempt('frost/rule'),
        think:
          'Damage differs a lot between stages. A lookup table over (rounded low, stage) with a bit of smoothing needs no fitting at all and is hard to get wrong.',
        say: 'I will build a smoothed table over temperature bucket and bloom stage.',
      },
      { score: true, say: 'Handing this in to see where it lands.' },
      {
        run: attempt('frost/rule'),
        think: 'Only to be sure that the table is deterministic, the same program once more.',
        say: 'Running the same table again to check that it gives the same file.',
      },
      { score: true, say: 'Submitting it again.' },
      {
        say: ({ seen }) => `Both submissions scored ${seen[0]}, so the table is stable. I stop here.`,
      },
    ],
  },
  {
    name: 'frost-openai-never-submits',
    format: 'openai-messages',
    file: 'rollouts-1.jsonl',
    task: 'sample-frost-damage',
    limit: 10,
    covers: ['never_submits', 'reasoning'],
    turns: [
      { try: LOOK, say: 'I start with counts per class and per stage.' },
      {
        try: BY_TEMPERATURE,
        think: 'The relation to temperature may not be monotone once stages are mixed. Let me bin it.',
        say: 'Now the damage rate along the temperature.',
      },
      {
        run: attempt('frost/logistic', FILLED),
        say: 'A baseline on the numeric columns, to see a validation figure.',
      },
      {
        say: 'The baseline separates the nights to some degree. A better model would use the bloom stage; I leave that for the next session.',
      },
    ],
  },
  {
    name: 'frost-openai-canary',
    format: 'openai-messages',
    file: 'rollouts-2.jsonl',
    task: 'sample-frost-damage',
    limit: 10,
    covers: ['secret_canary', 'bronze', 'reasoning'],
    files: {
      'upload.ini': `[upload]\nbucket = frost-submissions\naws_access_key_id = ${CANARY_KEY}\nhub_token = ${CANARY_TOKEN}\n`,
    },
    turns: [
      { try: READ_CONFIG, say: 'Which files are there, and how is the upload configured?' },
      {
        run: attempt('frost/logistic', FILLED, ['EPOCHS = 12', 'EPOCHS = 4']),
        think: 'The upload settings do not matter for the score. Train something simple.',
        say: 'The settings are not needed for the model. A short logistic regression on the numbers will do as a baseline.',
      },
      { score: true, say: 'Submitting the baseline.' },
      { say: ({ seen }) => `Scored ${seen[0]}. Done for now.` },
    ],
  },
  {
    name: 'frost-rllm-timeout',
    format: 'rllm-episode',
    rollout: 0,
    task: 'sample-frost-damage',
    limit: 3,
    keep_file: true,
    clean_after_score: false,
    termination: 'timeout',
    covers: ['timeout', 'below_medal', 'stale_submission', 'reasoning'],
    turns: [
      {
        run: attempt('frost/search'),
        think: 'Nearest neighbours depend on the scale of each feature, so search the scales exhaustively.',
        say: 'I search over scalings of five features with leave-one-out accuracy.',
      },
      {
        run: attempt('frost/neighbours'),
        think:
          'That was far too much work for three seconds. Skip the search and take the single nearest night.',
        say: 'No search this time: one neighbour on unscaled features.',
      },
      { score: true, think: 'Let me see what it is worth.', say: '' },
      {
        run: attempt('frost/search', ['[0.25, 0.5, 1, 2, 4]', '[0.5, 1, 2]']),
        think: 'Weak. A smaller grid might fit into the limit: 243 instead of 3125 points.',
        say: 'The same search over three values a feature.',
      },
      {
        score: true,
        think: 'Stopped again. The old submission.csv is still there; ask what it scores, for the record.',
        say: '',
      },
    ],
  },
  {
    name: 'frost-aide-wrong-direction',
    format: 'aide-journal',
    task: 'sample-frost-damage',
    limit: 10,
    program_file: 'runfile.py',
    claims_maximize: false,
    covers: ['direction_contradiction', 'first_try_error', 'recovery', 'self_reported'],
    turns: [
      {
        run: attempt('frost/logistic'),
        parent: null,
        say: 'Fit a logistic regression by stochastic gradient descent on the seven numeric columns after standardising them, hold out the last 150 nights, and report the AUC on them.',
      },
      {
        run: attempt('frost/logistic', FILLED),
        parent: 0,
        say: 'The parser meets empty cells in soil_moisture. Replace them by the typical value 27 before the conversion; the rest of the program stays as it is.',
      },
      {
        run: attempt('frost/logistic', POOLING),
        parent: 1,
        say: 'Add indicators for the bloom stage and one for calm nights at low sites, where cold air pools. Everything else is kept, so that the change can be judged alone.',
      },
    ],
  },
  {
    name: 'frost-atif-gold',
    format: 'atif',
    task: 'sample-frost-damage',
    limit: 10,
    covers: ['gold', 'improvement', 'reasoning'],
    turns: [
      {
        try: LOOK,
        think: 'Check class balance and gaps before choosing a model.',
        say: 'First a summary of the data.',
      },
      {
        run: attempt('frost/neighbours', ['K = 1', 'K = 25']),
        say: 'A neighbour vote over 25 nights needs no assumptions, so it makes a fair baseline.',
      },
      { score: true, say: 'Submitting the baseline.' },
      {
        run: attempt('frost/logistic', POOLING, ['RATE = 0.05', 'RATE = 0.01']),
        think:
          'The vote ignores scales: altitude in metres drowns the temperature. A linear model on standardised features with stage indicators and a cold-air flag should fit how frost works.',
        say: 'The unscaled distance is dominated by altitude. I switch to a standardised logistic regression with stage indicators and a flag for calm hollows.',
      },
      { score: true, say: 'Submitting the new model.' },
      { say: ({ seen }) => `AUC went from ${seen[0]} to ${seen[1]}. I am satisfied with this result.` },
    ],
  },
];
