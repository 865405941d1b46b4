import type { Turn } from '../trajectory/turn.js';
import type { RowRequest } from './encode-row.js';
import type { LengthOptions } from './length-options.js';
import type { TokenRow } from './token-row.js';

/** What became of rows that were too long; each is counted. */
export const LENGTH_OUTCOMES = ['dropped', 'tail_cut', 'observations_shortened', 'context_cut'] as const;
export type LengthOutcome = (typeof LENGTH_OUTCOMES)[number];

/** A row that fits. Its arrays are views that live until the next one is asked for. */
export interface FittedRow<Row = TokenRow> {
  /** the turns that it was rendered from: shortened observations are shortened in them too */
  readonly turns: readonly Turn[];
  readonly plan: RowRequest['plan'];
  readonly row: Row;
  /** number of the row among those of its plan, from 0 */
  readonly part: number;
  /** how it was made to fit; null where it fits as it is */
  readonly outcome: Exclude<LengthOutcome, 'dropped'> | null;
  /** what fitting changed in the turns that are shown */
  readonly flags: readonly string[];
}

export type Encode = (request: RowRequest) => TokenRow;

export interface FitRequest extends RowRequest {
  readonly encode: Encode;
  readonly length: LengthOptions;
  /** told once for each row, or each turn of a row that was split, that fits in no way */
  readonly onDropped: () => void;
}

/** A request with a limit, and the row that exceeds it. */
export interface OverLongRow extends FitRequest {
  readonly maxTokens: number;
  readonly row: TokenRow;
}

/** What must be known of a row to divide it. */
export type DividedRow = Pick<TokenRow, 'input_ids' | 'segment_of_token' | 'segments' | 'n_trained'>;

/** A row that is to become several. */
export interface DivideRequest<Row extends DividedRow> extends RowRequest {
  readonly encode: (request: RowRequest) => Row;
  readonly maxTokens: number;
  readonly row: Row;
  /** told once for what fits in no row */
  readonly onDropped: () => void;
  /** whether two turns of the model, one after the other, have to be trained by one row; by default none do */
  readonly joined?: (turn: number, next: number) => boolean;
}
