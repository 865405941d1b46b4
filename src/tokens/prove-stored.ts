import { composeStretches } from '../chat/compose.js';
import { fromMessages } from '../chat/messages.js';
import type { ChatRenderer, RenderInput } from '../chat/renderer.js';
import type { Rendering } from '../chat/segment.js';
import { SpecialFinder } from '../chat/special-tokens.js';
import { RejectError } from '../logs/reject.js';
import { encodeLayout, sameIds } from './encode-layout.js';
import type { Encoder } from './encoder.js';
import { layOut } from './layout.js';
import type { MaskOptions } from './mask-options.js';
import { Prover } from './proofs.js';
import { jointAt } from './stretches.js';
import type { IdDifference, MaskProofs } from './token-row.js';

/** The columns of a stored row from which its mask can be proved again. */
export interface StoredRow {
  readonly input_ids: Int32Array;
  readonly loss_mask: Uint8Array | Int8Array;
  readonly straddled_tokens: number;
  readonly ids_differ_because: readonly IdDifference[];
  /** JSON, as `toMessages` made it */
  readonly messages: string;
  readonly tools: string | null;
  readonly model: string | null;
}

export interface StoredProof {
  readonly proofs: MaskProofs;
  /** the ids are those that the stored messages give when they are rendered and encoded again */
  readonly ids_reproduced: boolean;
}

/**
 * Proves a row from its stored columns alone: its messages are rendered and encoded again, and the five statements
 * checked of the stored ids and mask. Throws RejectError where the messages cannot be read or rendered.
 */
export function proveStored(
  row: StoredRow,
  { encoder, renderer, mask }: { encoder: Encoder; renderer: ChatRenderer; mask: MaskOptions },
): StoredProof {
  const { turns, trained } = fromMessages(row.messages);
  const input = { turns, indices: turns.map((_, index) => index), tools: row.tools };
  const rendering = renderAgain(row, input, renderer);
  const { segments } = rendering;
  const cutAfterHeaders = mask.boundary === 'sampled';
  const layout = layOut({
    segments,
    encoder,
    finder: new SpecialFinder(encoder.specials.keys()),
    cutAfterHeaders,
  });
  const ids = encodeLayout(layout, encoder, { ids: new Int32Array(row.input_ids.length + 1), length: 0 });
  const proofs = new Prover({ encoder, mask }).prove({
    input_ids: row.input_ids,
    loss_mask: Uint8Array.from(row.loss_mask),
    straddled_tokens: row.straddled_tokens,
    ids_differ_because: row.ids_differ_because,
    segments,
    layout,
    subject: { turns, executions: [], model: row.model },
    trained,
    altered: new Set(rendering.stripped_reasoning),
    full: true,
  });
  return { proofs, ids_reproduced: sameIds(ids, row.input_ids) };
}

/** The rendering that a row says it is: as a whole, with all reasoning kept, or joined at its last break. */
export function renderAgain(
  row: Pick<StoredRow, 'ids_differ_because'>,
  input: RenderInput,
  renderer: ChatRenderer,
): Rendering {
  if (row.ids_differ_because.includes('preserved')) {
    const preserved = renderer.renderPreserving(input);
    if (preserved !== null) return preserved;
    throw new RejectError('template_error', `template ${renderer.name} cannot keep earlier reasoning`);
  }
  if (!row.ids_differ_because.includes('split')) return renderer.render(input);
  const joint = jointAt(renderer.breaks(input).at(-1) ?? 0, input);
  return joint === null ? renderer.render(input) : composeStretches(renderer, input, [joint]);
}
