import type { ExportOptions, WindowSource, WindowTotals } from './exporter.js';

/**
 * What to multiply a window's reward by for a trainer that divides its loss by all trained tokens of a batch. With
 * `denominator: window` it is (mean trained tokens of a window) / (trained tokens of this one), so that over the export
 * each window counts as one: (1/M) sum over M windows of the mean over its own tokens. With `tokens` it is 1.
 */
export function windowWeight(
  { n_trained }: Pick<WindowSource, 'n_trained'>,
  { windows, trained }: WindowTotals,
  denominator: ExportOptions['denominator'],
): number {
  return denominator === 'window' ? trained / windows / n_trained : 1;
}
