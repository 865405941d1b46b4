import { attempt } from '../attempts.mjs';

const ALL =
  '    return [float(row[c]) for c in ("length_mm", "width_mm", "weight_mg", "lustre", "moisture_pct")]';
const THREE = [ALL, '    return [float(row[c]) for c in ("length_mm", "width_mm", "weight_mg")]'];
const SHAPE = [
  ALL,
  `    length, width, weight = (float(row[c]) for c in ("length_mm", "width_mm", "weight_mg"))
    return [length / width, weight / (length * width * width)]`,
];
const DENSITY = [
  '    return [length, width]',
  '    return [length / width, weight / (length * width * width)]',
];
const RATIO = ['    return [length, width]', '    return [length / width, weight]'];
const AS_NUMBERS = [
  '    out.writerows([r["seed_id"], a] for r, a in zip(test, answers))',
  `    codes = sorted(set(y))
    out.writerows([r["seed_id"], codes.index(a)] for r, a in zip(test, answers))`,
];

export const SEED_SCRIPTS = [
  {
    name: 'seed-rllm-gold',
    format: 'rllm-episode',
    rollout: 0,
    task: 'sample-seed-variety',
    limit: 10,
    termination: 'answer',
    clean_after_score: false,
    keep_file: true,
    covers: ['first_try_error', 'recovery', 'improvement', 'bronze', 'silver', 'gold', 'reasoning'],
    turns: [
      {
        run: attempt('seed/forest'),
        think: 'Five numeric columns and four classes: a random forest is the usual first choice.',
        say: 'I start with a random forest.',
      },
      {
        run: attempt('seed/gaussian', RATIO),
        think: 'No scikit-learn here, so only the standard library. A Gaussian class model is a few lines.',
        say: 'I write a Gaussian class model by hand, on the length to width ratio and the weight.',
      },
      { score: true, think: 'Check where that stands.', say: '' },
      {
        run: attempt('seed/neighbours', THREE),
        think:
          'Neighbours are not bound to a normal shape. Standardised length, width and weight, fifteen votes.',
        say: 'As a contrast, fifteen nearest neighbours on three standardised columns.',
      },
      { score: true, think: 'Compare the two.', say: '' },
      {
        run: attempt('seed/gaussian', DENSITY),
        think:
          'Weight mixes size and density. A seed is about an ellipsoid: weight over length times width squared is a density, free of size. Together with the ratio that should part the varieties.',
        say: 'I replace the weight by a density, which does not depend on the size of the seed.',
      },
      { score: true, think: 'And the score of it.', say: '' },
      {
        answer: true,
        think: ({ seen }) =>
          `From ${seen[0]} over ${seen[1]} to ${seen[2]}. I do not expect much more from these columns.`,
        say: 'Gaussian class model on the length to width ratio and the density of the seed; submission.csv is in place.',
      },
    ],
  },
  {
    name: 'seed-rllm-no-answer',
    format: 'rllm-episode',
    rollout: 1,
    task: 'sample-seed-variety',
    limit: 10,
    termination: 'token_limit_no_answer',
    clean_after_score: false,
    keep_file: true,
    covers: ['never_submits', 'no_answer', 'reasoning'],
    turns: [
      {
        run: attempt('seed/gaussian'),
        think: 'Length and width are given, so a Gaussian model on the two of them to begin with.',
        say: 'A first Gaussian model on length and width.',
      },
      {
        run: attempt('seed/gaussian', ['[length, width]', '[length, width, weight]']),
        think: 'The accuracy is poor. Perhaps weight helps.',
        say: 'The same with weight as a third feature.',
      },
    ],
  },
  {
    name: 'seed-dojo-silver',
    format: 'mle-dojo',
    task: 'sample-seed-variety',
    limit: 10,
    covers: [
      'unparseable_submission',
      'missing_submission',
      'recovery',
      'below_medal',
      'silver',
      'improvement',
    ],
    turns: [
      { info: 'overview', say: 'I begin with the description.' },
      {
        run: attempt('seed/neighbours', AS_NUMBERS),
        say: 'Fifteen nearest neighbours on all five standardised columns, with the classes as numbers.',
      },
      {
        run: attempt('seed/neighbours', ['open("submission.csv", "w"', 'open("answers.csv", "w"']),
        say: 'Names are expected, not codes. I write them out.',
      },
      {
        run: attempt('seed/neighbours'),
        say: 'I had changed the file name by accident; back to submission.csv.',
      },
      {
        run: attempt('seed/neighbours', THREE),
        say: 'Accepted, but low. Lustre and moisture may only add noise to the distances, so I leave them out.',
      },
    ],
  },
  {
    name: 'seed-openai-below-medal',
    format: 'openai-messages',
    file: 'rollouts-1.jsonl',
    task: 'sample-seed-variety',
    limit: 10,
    covers: ['unparseable_submission', 'recovery', 'below_medal'],
    turns: [
      {
        run: attempt('seed/neighbours', AS_NUMBERS),
        say: 'Nearest neighbours on all five columns, classes written as numbers.',
      },
      { score: true, say: 'Submitting.' },
      {
        run: attempt('seed/neighbours'),
        say: 'The grader wants the names of the varieties and not their codes. Same model, names written out.',
      },
      { score: true, say: 'Submitting again.' },
      { say: ({ seen }) => `Accepted with ${seen[0]}. The two noise columns probably hurt, but I end here.` },
    ],
  },
  {
    name: 'seed-openai-improves',
    format: 'openai-messages',
    file: 'rollouts-2.jsonl',
    task: 'sample-seed-variety',
    limit: 10,
    covers: ['silver', 'improvement', 'gold', 'reasoning'],
    turns: [
      {
        run: attempt('seed/neighbours', THREE),
        think: 'Lustre and moisture look like pure noise, and noise hurts neighbours most. Leave them out.',
        say: 'Neighbours on length, width and weight only.',
      },
      { score: true, say: 'Submitting the three-column version.' },
      {
        run: attempt('seed/neighbours', SHAPE),
        think: 'The varieties differ in shape, not in size. Use two size-free features.',
        say: 'Now with shape features in place of raw sizes.',
      },
      { score: true, say: 'Submitting the shape version.' },
      { say: ({ seen }) => `Macro F1 rose from ${seen[0]} to ${seen[1]}; finished.` },
    ],
  },
  {
    name: 'seed-openai-torn',
    format: 'openai-messages',
    file: 'rollouts-2.jsonl',
    task: 'sample-seed-variety',
    limit: 10,
    torn: true,
    covers: ['torn_last_line'],
    turns: [
      { run: attempt('seed/gaussian', RATIO), say: 'A Gaussian class model on ratio and weight.' },
      { score: true, say: 'Submitting it.' },
      { say: 'That is my answer.' },
    ],
  },
  {
    name: 'seed-native-tree',
    format: 'trajmill-native',
    task: 'sample-seed-variety',
    limit: 10,
    covers: ['first_try_error', 'recovery', 'improvement', 'invalidated_node', 'reasoning'],
    turns: [
      {
        run: attempt('seed/neighbours', ['float(row[c])', 'float(row[c + "_raw"])']),
        think: 'The columns may come in raw and scaled form. I take the raw ones.',
        say: 'Nearest neighbours on the raw columns.',
      },
      {
        run: attempt('seed/neighbours', THREE),
        say: 'There are no raw columns. I read them by their plain names, and leave the two noise columns out.',
      },
      { score: true, say: 'Handing in this node.' },
      { invalidates: 0, say: 'The first node never ran; I take it back so that nobody builds on it.' },
      {
        run: attempt('seed/neighbours', SHAPE),
        think: 'Varieties differ in shape rather than in size.',
        say: 'A child node with size-free features.',
      },
      { score: true, say: 'Handing in the shape node.' },
      { say: ({ seen }) => `The answer rose from ${seen[0]} to ${seen[1]}.` },
    ],
  },
];
