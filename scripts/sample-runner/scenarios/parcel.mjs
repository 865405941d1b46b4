import { attempt } from '../attempts.mjs';

const RAW = '    return [1.0, distance, float(row["weight_kg"]), stops, distance / stops]';
const SAFE = [RAW, '    return [1.0, distance, float(row["weight_kg"]), stops, distance / (stops + 1)]'];
const SERVICES = [
  RAW,
  `    services = [float(row["service"] == s) for s in ("economy", "standard", "express")]
    return [1.0, distance, float(row["weight_kg"]), stops] + services`,
];
const WEEKEND = [
  RAW,
  `    late = float(int(row["weekday"]) >= 4)
    services = [float(row["service"] == s) for s in ("economy", "standard", "express")]
    depots = [float(row["depot"] == d) for d in ("alder", "birch", "cedar", "elm", "hazel")]
    return [1.0, math.log(distance), float(row["weight_kg"]), stops, late] + services + depots`,
];
const LOG_TARGET = ['LOG_TARGET = False', 'LOG_TARGET = True'];
const rounds = (n) => ['ROUNDS = 60', `ROUNDS = ${n}`];

const QUIET = ['print(f"validation rmse: {error:.4f}")', 'print("trained on 450 parcels, checked on 150")'];
const WRONG_NAME = ['open("submission.csv", "w"', 'open("predictions.csv", "w"'];
const DRY_ONLY = ['    for row in test:', '    for row in (r for r in test if r["rain_mm"] == "0.0"):'];

export const PARCEL_SCRIPTS = [
  {
    name: 'parcel-dojo-best-last',
    format: 'mle-dojo',
    task: 'sample-parcel-hours',
    limit: 10,
    covers: ['lower_is_better', 'wrong_length', 'repeat', 'improvement', 'best_only_in_sidecar'],
    turns: [
      { info: 'overview', say: 'First the task and its metric.' },
      { info: 'data_path', say: 'Where is the data?' },
      { info: 'output_path', say: 'And where does the submission belong?' },
      {
        run: attempt('parcel/group_means'),
        say: 'As a floor I predict the mean delivery time of each service class.',
      },
      {
        run: attempt('parcel/stumps', rounds(20), DRY_ONLY),
        say: 'Now boosted stumps. Rain may matter, so I look at the dry days on their own for the moment.',
      },
      {
        run: attempt('parcel/stumps', rounds(20)),
        say: 'The grader wants every parcel of the test set, of course. The same model, all rows.',
      },
      {
        run: attempt('parcel/stumps', rounds(20)),
        say: 'I run the identical program once more, to see whether the score moves by chance.',
      },
      {
        run: attempt('parcel/ridge', WEEKEND, LOG_TARGET),
        say: ({ last }) =>
          `It does not: ${last.grade.score} again. Delivery times are multiplicative, so for the last action I fit the logarithm, with log distance, a weekend flag and the depots.`,
      },
    ],
  },
  {
    name: 'parcel-aide-tree',
    format: 'aide-journal',
    task: 'sample-parcel-hours',
    limit: 3,
    program_file: 'runfile.py',
    claims_maximize: false,
    covers: [
      'lower_is_better',
      'tree',
      'timeout',
      'no_metric',
      'first_try_error',
      'recovery',
      'self_reported',
    ],
    turns: [
      {
        run: attempt('parcel/ridge'),
        parent: null,
        say: 'Solve a small ridge regression by elimination with distance, weight, stops and the distance per stop. The last 150 rows serve as validation for the RMSE.',
      },
      {
        run: attempt('parcel/group_means', ['["service"]', '["service", "depot"]']),
        parent: null,
        say: 'Use the mean hours of each pair of service and depot, with the overall mean for unseen pairs, as a robust reference. RMSE on the last 150 rows.',
      },
      {
        run: attempt('parcel/pairs'),
        parent: null,
        say: 'Smooth the hours over distance and weight with a kernel and pick both bandwidths by leave-one-out error over a fine grid.',
      },
      {
        run: attempt('parcel/ridge', SAFE),
        parent: 0,
        say: 'A parcel without stops makes the ratio divide by zero. Divide by stops + 1 in its place.',
      },
      {
        run: attempt('parcel/ridge', SERVICES),
        parent: 3,
        say: 'Drop the ratio and add indicators of the service class, which sets the pace of the whole delivery.',
      },
      {
        run: attempt('parcel/ridge', WEEKEND, QUIET),
        parent: 4,
        say: 'Use the logarithm of the distance and add the weekend and the depots.',
      },
      {
        run: attempt('parcel/ridge', WEEKEND),
        parent: 5,
        say: 'The program above did not print its validation error, so nothing could be compared. Print it.',
      },
      {
        run: attempt('parcel/ridge', WEEKEND, LOG_TARGET),
        parent: 6,
        say: 'Model the logarithm of the hours, since errors grow with the duration, and exponentiate the predictions.',
      },
    ],
  },
  {
    name: 'parcel-openai-degraded',
    format: 'openai-messages',
    file: 'rollouts-1.jsonl',
    task: 'sample-parcel-hours',
    limit: 10,
    covers: ['lower_is_better', 'silver', 'degraded_tail', 'improvement', 'reasoning'],
    turns: [
      {
        run: attempt('parcel/ridge', SAFE),
        say: 'I begin with a linear model on distance, weight and stops.',
      },
      { score: true, say: 'Submitting it.' },
      {
        run: attempt('parcel/stumps', rounds(50)),
        think:
          'A linear model cannot see that express skips the weekend delay. Boosted stumps are additive too, but they catch thresholds and the service class.',
        say: 'Thresholds matter here (weekday, service), so I try 50 boosted stumps.',
      },
      { score: true, say: 'Submitting the stumps.' },
      {
        run: attempt('parcel/stumps', rounds(50), ['RATE = 0.3', 'RATE = 1.9']),
        think: 'Maybe each step is too timid. A rate of 1.9 converges faster.',
        say: 'Bolder steps: the learning rate goes up to 1.9.',
      },
      { score: true, say: 'Submitting that as well.' },
      { say: 'I will leave the last submission as my final answer.' },
    ],
  },
  {
    name: 'parcel-rllm-bronze',
    format: 'rllm-episode',
    rollout: 0,
    task: 'sample-parcel-hours',
    limit: 10,
    termination: 'answer',
    clean_after_score: false,
    keep_file: true,
    covers: ['lower_is_better', 'missing_submission', 'wrong_length', 'recovery', 'bronze', 'reasoning'],
    turns: [
      {
        run: attempt('parcel/stumps', rounds(20), WRONG_NAME),
        think: 'Boosted stumps are a decent default for mixed columns. Twenty rounds are quick.',
        say: 'Twenty boosted stumps on numbers and service class.',
      },
      {
        score: true,
        think: 'It ran without complaint. Ask for the score.',
        say: '',
      },
      {
        run: attempt('parcel/stumps', rounds(20), DRY_ONLY),
        think:
          'The file has to be called submission.csv. I also try to leave out the wet days, they are noisy.',
        say: 'Corrected the file name, and restricted the output to dry days.',
      },
      { score: true, think: 'Score it.', say: '' },
      {
        run: attempt('parcel/stumps', rounds(20)),
        think: 'Leaving rows out of the submission makes it invalid. All 400 parcels have to be there.',
        say: 'Now with every row of the test set.',
      },
      { score: true, think: 'Once more.', say: '' },
      {
        answer: true,
        think: 'This is accepted and earns a medal. Good enough for the rounds that I have.',
        say: 'Boosted stumps with 20 rounds on distance, weight, stops, weekday and service class; submission.csv is in place.',
      },
    ],
  },
  {
    name: 'parcel-atif-cut',
    format: 'atif',
    task: 'sample-parcel-hours',
    limit: 10,
    cut: true,
    covers: ['lower_is_better', 'cut', 'first_try_error', 'recovery'],
    turns: [
      { run: attempt('parcel/ridge'), say: 'I fit a ridge regression with a few hand-made features.' },
      {
        run: attempt('parcel/ridge', SERVICES),
        say: 'Some parcels have zero stops, so the ratio is undefined. I remove it and use the service class in its place.',
      },
      { score: true, say: 'Submitting the repaired model.' },
      { run: attempt('parcel/ridge', WEEKEND), say: 'Next, weekends and depots.' },
    ],
  },
];
