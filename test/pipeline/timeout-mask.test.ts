import { describe, expect, it } from 'vitest';
import { isMaskedWhole } from '../../src/pipeline/rows/timeout-mask.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { makeExecution } from '../../src/trajectory/build.js';
import type { ExecutionStatus } from '../../src/trajectory/execution.js';
import { trajectoryOf } from '../tokens/rows.js';

/** A run of experiments that ended so, each of as many seconds. */
function runOf(statuses: readonly ExecutionStatus[], seconds: number | null = null) {
  const executions = statuses.map((status, order) =>
    makeExecution(
      { execution_id: `e${order}`, order, kind: 'experiment', tool: 'run', call_turn: 0, status },
      { seconds },
    ),
  );
  return trajectoryOf([], { executions });
}

const masked = (run: ReturnType<typeof runOf>, options: object): boolean =>
  isMaskedWhole(run, maskSchema.parse(options));

describe("SandMLE's mask of whole runs", () => {
  const late = runOf(['ok', 'timeout', 'ok', 'ok', 'ok']);

  it('is off by default', () => {
    expect(masked(late, {})).toBe(false);
  });

  it('as its paper has it, one timeout is enough', () => {
    expect(masked(late, { timeouts: 'any' })).toBe(true);
    expect(masked(runOf(['ok', 'error', 'infrastructure']), { timeouts: 'any' })).toBe(false);
  });

  it('as its release has it, more than a fifth are needed', () => {
    expect(masked(late, { timeouts: { share: 0.2 } })).toBe(false);
    expect(masked(runOf(['ok', 'timeout', 'ok', 'ok']), { timeouts: { share: 0.2 } })).toBe(true);
  });

  it('takes a limit in seconds where the log marks no timeouts', () => {
    const slow = runOf(['ok'], 91);
    expect(masked(slow, { timeouts: 'any' })).toBe(false);
    expect(masked(slow, { timeouts: 'any', timeout_seconds: 90 })).toBe(true);
    expect(masked(runOf(['ok'], 90), { timeouts: 'any', timeout_seconds: 90 })).toBe(false);
  });

  it.each([{ timeouts: 'share' }, { timeouts: { share: 2 } }, { timeout_seconds: 0 }])(
    'refuses %j',
    (options) => {
      expect(() => maskSchema.parse(options)).toThrow();
    },
  );
});
