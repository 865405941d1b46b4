import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditOffPolicy } from '../../src/rewards/off-policy-audit.js';
import { policyCorrection, type WindowTokens, windowLoss } from '../../src/rewards/policy-correction.js';

const band = { q_min: 0.5, q_max: 5 };
const ln = (values: readonly number[]): number[] => values.map(Math.log);

describe('policyCorrection', () => {
  it('weights tokens inside the band by q and takes those outside out', () => {
    // q: .2/.4, .5/.1, .3/.3, .1/.4, .6/.1
    const { q, weights, n_outside } = policyCorrection(
      ln([0.2, 0.5, 0.3, 0.1, 0.6]),
      ln([0.4, 0.1, 0.3, 0.4, 0.1]),
      { q_min: 0.499999, q_max: 5.000001 },
    );
    [0.5, 5, 1, 0.25, 6].forEach((expected, i) => {
      expect(q[i]).toBeCloseTo(expected, 12);
    });
    [0.5, 5, 1, 0, 0].forEach((expected, i) => {
      expect(weights[i]).toBeCloseTo(expected, 12);
    });
    expect(n_outside).toBe(2);
  });

  it('counts the ends of the band as inside', () => {
    const same = policyCorrection([-1, -1], [-1, -1], { q_min: 1, q_max: 1 });
    expect([...same.weights]).toEqual([1, 1]);
  });

  it.each([
    ['a band upside down', () => policyCorrection([-1], [-1], { q_min: 2, q_max: 1 })],
    ['a band from 0', () => policyCorrection([-1], [-1], { q_min: 0, q_max: 1 })],
    ['other lengths', () => policyCorrection([-1, -2], [-1], band)],
    ['a value that is not finite', () => policyCorrection([-1], [Number.NaN], band)],
    ['beta without a reference', () => windowLoss(tokens(1), 1, { ...band, beta: 0.1 })],
    ['an entropy weight without entropies', () => windowLoss(tokens(1), 1, { ...band, entropy_weight: 1 })],
  ])('refuses %s', (_name, act) => {
    expect(act).toThrow(RangeError);
  });
});

function tokens(n: number): WindowTokens {
  const same = Array.from({ length: n }, (_, i) => -0.5 - i);
  return { theta: same, old: same, rollout: same };
}

describe('windowLoss', () => {
  it('is minus the advantage on policy', () => {
    for (const reward of [-1, -0.6, 2.2]) {
      const { loss, gradient } = windowLoss(tokens(4), reward, band);
      expect(loss).toBeCloseTo(-reward, 12);
      for (const slope of gradient) expect(slope).toBeCloseTo(-reward / 4, 12);
    }
    expect(windowLoss({ theta: [], old: [], rollout: [] }, 1, band).loss).toBe(0);
  });

  // old .25; theta .35 (rho 1.4), .2 (rho .8), .25 (rho 1); rollout .25 (q 1), .125 (q 2), .025 (q 10: outside)
  const mixed: WindowTokens = {
    theta: ln([0.35, 0.2, 0.25]),
    old: ln([0.25, 0.25, 0.25]),
    rollout: ln([0.25, 0.125, 0.025]),
  };

  it('clips upwards for a positive advantage, and keeps tokens outside the band in the denominator', () => {
    // 1 * min(1.4, 1.2) * 2 + 2 * .8 * 2 = 5.6, over 3 tokens
    const { loss, gradient, n_outside } = windowLoss(mixed, 2, band);
    expect(loss).toBeCloseTo(-5.6 / 3, 12);
    expect(n_outside).toBe(1);
    // the clipped and the excluded token do not move
    expect(gradient[0]).toBe(0);
    expect(gradient[1]).toBeCloseTo(-3.2 / 3, 12);
    expect(gradient[2]).toBeCloseTo(0, 12);
  });

  it('does not clip a ratio that rose for a negative advantage', () => {
    // 1 * min(-1.4, -1.2) + 2 * min(-.8, -.8) = -3
    expect(windowLoss(mixed, -1, band).loss).toBeCloseTo(1, 12);
    // with a tighter range the fallen ratio is clipped: min(-.8, -.9) = -.9, so -1.4 - 1.8
    expect(windowLoss(mixed, -1, { ...band, epsilon: 0.1 }).loss).toBeCloseTo(3.2 / 3, 12);
  });

  it('adds k3 and takes the entropy off', () => {
    const base = windowLoss(mixed, 2, band).loss;
    const reference = ln([0.7, 0.1, 0.25]);
    const result = windowLoss({ ...mixed, reference, entropy: [1, 2, 3] }, 2, {
      ...band,
      beta: 0.1,
      entropy_weight: 0.01,
    });
    // k3: 2 - ln 2 - 1, .5 - ln .5 - 1, 0: together .5
    expect(result.kl).toBeCloseTo((1 - Math.LN2 + (-0.5 + Math.LN2)) / 3, 12);
    expect(result.entropy).toBe(2);
    expect(result.loss).toBeCloseTo(base + 0.05 / 3 - 0.02, 12);
  });

  it('has the gradient that differences of the loss show', () => {
    const value = fc.double({ min: -3, max: -0.01, noNaN: true });
    const row = fc.tuple(value, value, value, value);
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(-1, -0.4, 1.2, 2),
        (rows, a) => {
          const columns = [0, 1, 2, 3].map((c) => rows.map((each) => each[c] ?? 0));
          const [theta = [], old = [], rollout = [], reference = []] = columns;
          const options = { ...band, beta: 0.3 };
          const { gradient } = windowLoss({ theta, old, rollout, reference }, a, options);
          const h = 1e-6;
          theta.forEach((x, i) => {
            const rho = Math.exp(x - (old[i] ?? 0));
            // at the edges of the clip range the loss has a corner
            if (Math.abs(rho - 0.8) < 1e-4 || Math.abs(rho - 1.2) < 1e-4) return;
            const at = (y: number) =>
              windowLoss({ theta: theta.with(i, y), old, rollout, reference }, a, options).loss;
            expect(gradient[i]).toBeCloseTo((at(x + h) - at(x - h)) / (2 * h), 4);
          });
        },
      ),
    );
  });
});

describe('auditOffPolicy', () => {
  it('looks at trained tokens of which both are known', () => {
    const audit = auditOffPolicy(
      [
        {
          loss_mask: [1, 1, 1, 0, 1],
          old: [...ln([0.5, 0.5, 0.01, 0.9]), null],
          rollout: [...ln([0.5, 0.05, 0.4]), null, -1],
        },
        { loss_mask: [1], old: [-1], rollout: [null] },
      ],
      band,
    );
    expect(audit).toMatchObject({ trained: 5, known: 3, below: 1, above: 1 });
    expect(audit.off_policy_share).toBeCloseTo(2 / 3, 12);
    expect(audit.mean_q).toBeCloseTo((1 + 10 + 0.025) / 3, 12);
    expect(audit.max_q).toBeCloseTo(10, 12);
    expect(audit.min_q).toBeCloseTo(0.025, 12);
    // k3 of 1, 10 and .025
    expect(audit.kl).toBeCloseTo((0 + 9 - Math.log(10) + (0.025 - 1 - Math.log(0.025))) / 3, 12);
  });

  it('knows nothing where nothing was recorded', () => {
    const audit = auditOffPolicy([{ loss_mask: [1], old: [null], rollout: [-1] }], band);
    expect(audit).toMatchObject({ trained: 1, known: 0, off_policy_share: null, mean_q: null, kl: null });
    expect(() => auditOffPolicy([{ loss_mask: [1], old: [], rollout: [-1] }], band)).toThrow(RangeError);
  });
});
