import { writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { windowLoss } from '../../src/rewards/policy-correction.js';
import { SeededRandom } from './random.js';

// Input of policy_correction_check.py: TRAJMILL_INTEROP_POLICY_LOSS names the file.
const { TRAJMILL_INTEROP_POLICY_LOSS: out } = process.env;

it.skipIf(out === undefined)('writes windows with their loss and gradient', () => {
  const random = new SeededRandom(5);
  const cases = Array.from({ length: 2_000 }, () => {
    const n = 1 + random.below(40);
    const values = (spread: number, around?: readonly number[]) =>
      Array.from({ length: n }, (_, i) => (around?.[i] ?? -1.5) + spread * (random.next() - 0.5));
    const old = values(2);
    const withReference = random.chance(0.5);
    const withEntropy = random.chance(0.3);
    const tokens = {
      theta: values(1, old),
      old,
      rollout: values(5, old),
      ...(withReference ? { reference: values(1, old) } : {}),
      ...(withEntropy ? { entropy: values(1).map(Math.abs) } : {}),
    };
    const options = {
      q_min: random.pick(0.5, 0.8, 0.1),
      q_max: random.pick(5, 1.2, 2),
      epsilon: random.pick(0.2, 0.1),
      beta: withReference ? random.pick(0, 0.01, 1) : 0,
      entropy_weight: withEntropy ? 0.01 : 0,
    };
    const advantage = random.pick(-1, -0.6, -0.4, -0.2, 0.8, 1, 1.2, 1.8, 2, 2.2);
    const { loss, gradient, n_outside } = windowLoss(tokens, advantage, options);
    return { tokens, advantage, options, result: { loss, gradient: [...gradient], n_outside } };
  });
  writeFileSync(out ?? '', JSON.stringify(cases));
});
