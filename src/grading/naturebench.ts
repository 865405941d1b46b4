import type { Thresholds } from './task-record.js';

/** Where a relative score g of NatureBench stands to the published state of the art. */
export const NATUREBENCH_OUTCOMES = ['surpass', 'match', 'below'] as const;
export type NatureBenchOutcome = (typeof NATUREBENCH_OUTCOMES)[number];

const SURPASS_ABOVE = 0.1;

/** NatureBench: g of at least 0 matches the state of the art, g above 0.1 surpasses it; higher is better. */
export function natureBenchOutcome(g: number): NatureBenchOutcome {
  if (g > SURPASS_ABOVE) return 'surpass';
  return g >= 0 ? 'match' : 'below';
}

/** The next double: medals are inclusive where NatureBench asks for more than 0.1. */
const JUST_ABOVE = SURPASS_ABOVE + 2 ** -56;

/** NatureBench as tiers: matching is bronze (and the median), surpassing is gold; there is no silver between them. */
export const NATUREBENCH_THRESHOLDS = {
  gold: JUST_ABOVE,
  silver: JUST_ABOVE,
  bronze: 0,
  median: 0,
} as const satisfies Thresholds;
