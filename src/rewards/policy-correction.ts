/**
 * Band of importance ratios q = exp(l_old - l_roll) within which a token may move the policy. The paper of MLExpert
 * gives no values; [0.5, 5] is customary elsewhere.
 */
export interface CorrectionBand {
  readonly q_min: number;
  readonly q_max: number;
}

type LogProbs = ArrayLike<number>;

export interface PolicyCorrection {
  /** q of each token */
  readonly q: Float64Array;
  /** q inside the band, 0 outside: the factor on a token's policy gradient */
  readonly weights: Float64Array;
  /** tokens outside the band: they leave the gradient but stay in the denominator */
  readonly n_outside: number;
}

/**
 * The token-level policy correction of MLExpert. `old` are log-probabilities under the weights that the trainer starts
 * the step with, `rollout` those of the weights that sampled the tokens, natural logarithms, token by token. Throws
 * RangeError where the lengths differ, a value is not finite, or the band is empty or not positive.
 */
export function policyCorrection(old: LogProbs, rollout: LogProbs, band: CorrectionBand): PolicyCorrection {
  const { q_min, q_max } = band;
  if (!(q_min > 0 && q_min <= q_max)) {
    throw new RangeError(`q_min ${q_min} and q_max ${q_max} are no band of positive ratios`);
  }
  requireEqualLength('rollout', rollout, old);
  const q = new Float64Array(old.length);
  const weights = new Float64Array(old.length);
  let outside = 0;
  for (let i = 0; i < q.length; i++) {
    const ratio = Math.exp(finiteAt('old', old, i) - finiteAt('rollout', rollout, i));
    q[i] = ratio;
    if (ratio >= q_min && ratio <= q_max) weights[i] = ratio;
    else outside += 1;
  }
  return { q, weights, n_outside: outside };
}

export interface WindowLossOptions extends CorrectionBand {
  /** clip range of rho around 1; default 0.2 */
  readonly epsilon?: number;
  /** weight of the KL term; default 0 */
  readonly beta?: number;
  /** weight of the entropy bonus; default 0 */
  readonly entropy_weight?: number;
}

/** Per valid token of one window, natural logarithms. */
export interface WindowTokens {
  /** log-probability under the policy that is trained */
  readonly theta: LogProbs;
  readonly old: LogProbs;
  readonly rollout: LogProbs;
  /** under the reference policy; needed where beta is not 0 */
  readonly reference?: LogProbs;
  /** entropy of the policy at the token, in nats; needed where entropy_weight is not 0 */
  readonly entropy?: LogProbs;
}

export interface WindowLoss {
  /** policy + beta * kl - entropy_weight * entropy */
  readonly loss: number;
  readonly policy: number;
  /** mean k3 estimate against the reference, null without one */
  readonly kl: number | null;
  /** mean entropy, null where not given */
  readonly entropy: number | null;
  /** derivative of the loss by `theta`, token by token; the entropy term is left out, for it is not a function of them */
  readonly gradient: Float64Array;
  readonly n_outside: number;
}

/**
 * Reference of the windowed loss, for one window of advantage A (its reward, as it stands):
 * -(1/n) sum q 1[q_min <= q <= q_max] min(rho A, clip(rho, 1 - eps, 1 + eps) A) + beta KL - c entropy, with
 * rho = exp(theta - old), q detached, KL the mean k3 estimate (exp(ref - theta) - (ref - theta) - 1), and n all valid
 * tokens of the window. A window without tokens has loss 0. The rule is MLExpert's, its constants are defaults here.
 */
export function windowLoss(tokens: WindowTokens, advantage: number, options: WindowLossOptions): WindowLoss {
  const { theta, old, rollout, reference, entropy } = tokens;
  const { epsilon = 0.2, beta = 0, entropy_weight: entropyWeight = 0 } = options;
  if (beta !== 0 && reference === undefined) throw new RangeError('beta needs reference log-probabilities');
  if (entropyWeight !== 0 && entropy === undefined) throw new RangeError('entropy_weight needs entropies');
  requireEqualLength('theta', theta, old);
  const { weights, n_outside } = policyCorrection(old, rollout, options);
  const n = old.length;
  const gradient = new Float64Array(n);
  let gain = 0;
  for (let i = 0; i < n; i++) {
    const weight = weights[i] ?? 0;
    const rho = Math.exp(finiteAt('theta', theta, i) - finiteAt('old', old, i));
    const free = rho * advantage;
    const clipped = Math.min(Math.max(rho, 1 - epsilon), 1 + epsilon) * advantage;
    gain += weight * Math.min(free, clipped);
    // the clipped branch is constant in theta; where both agree, rho lies inside the range and moves
    if (free <= clipped) gradient[i] = (-weight * free) / n;
  }
  const kl = reference === undefined ? null : k3(theta, reference, { beta, gradient });
  const meanEntropy = entropy === undefined ? null : meanOf('entropy', entropy, n);
  const policy = n === 0 ? 0 : -gain / n;
  const loss = policy + beta * (kl ?? 0) - entropyWeight * (meanEntropy ?? 0);
  return { loss, policy, kl, entropy: meanEntropy, gradient, n_outside };
}

/** Mean k3 estimate of KL(theta || reference); adds beta times its derivative to the gradient. */
function k3(
  theta: LogProbs,
  reference: LogProbs,
  { beta, gradient }: { readonly beta: number; readonly gradient: Float64Array },
): number {
  requireEqualLength('reference', reference, theta);
  const n = theta.length;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const difference = finiteAt('reference', reference, i) - finiteAt('theta', theta, i);
    // expm1 keeps the digits that exp(x) - x - 1 loses where the policies are close
    sum += Math.expm1(difference) - difference;
    gradient[i] = (gradient[i] ?? 0) - (beta * Math.expm1(difference)) / n;
  }
  return n === 0 ? 0 : sum / n;
}

function meanOf(name: string, values: LogProbs, n: number): number {
  if (values.length !== n) throw new RangeError(`${name} has ${values.length} tokens, expected ${n}`);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += finiteAt(name, values, i);
  return n === 0 ? 0 : sum / n;
}

function requireEqualLength(name: string, values: LogProbs, other: LogProbs): void {
  if (values.length === other.length) return;
  throw new RangeError(`${name} has ${values.length} tokens, expected ${other.length}`);
}

function finiteAt(name: string, values: LogProbs, i: number): number {
  const value = values[i];
  if (value !== undefined && Number.isFinite(value)) return value;
  throw new RangeError(`${name} log-probability of token ${i} is ${String(value)}`);
}
