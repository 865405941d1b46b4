import { describe, expect, it } from 'vitest';
import { SEGMENT_PARTS } from '../../src/chat/segment.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { MASK_POLICIES, MASK_POLICY_NAMES } from '../../src/tokens/mask-policy.js';

describe('mask options', () => {
  it('default to those of supervised fine-tuning', () => {
    expect(maskSchema.parse({})).toEqual({
      policy: 'sampled',
      kinds: ['reasoning', 'text', 'tool_call'],
      models: null,
      last_turn_only: false,
      failed_turns: 'train',
      truncated: 'mask',
      missing_stop: 'reject',
      timeouts: 'train',
      timeout_seconds: null,
      malformed_calls: 'mask',
      stripped_reasoning: 'mask',
      continued_turns: 'mask',
      boundary: 'whole',
    });
  });

  it.each([{ polcy: 'trl' }, { policy: 'other' }, { kinds: [] }, { kinds: ['thought'] }, { models: [] }])(
    'refuse %j',
    (options) => {
      expect(() => maskSchema.parse(options)).toThrow();
    },
  );
});

it.each(MASK_POLICY_NAMES)('policy %s speaks of every part and trains no context', (name) => {
  expect(Object.keys(MASK_POLICIES[name]).sort()).toEqual([...SEGMENT_PARTS].sort());
  expect(MASK_POLICIES[name].context).toBe(false);
});
