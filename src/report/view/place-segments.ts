import { fromMessages } from '../../chat/messages.js';
import type { ChatRenderer } from '../../chat/renderer.js';
import type { Segment } from '../../chat/segment.js';
import { SpecialFinder } from '../../chat/special-tokens.js';
import type { TaskRecord } from '../../grading/task-record.js';
import { RejectError } from '../../logs/reject.js';
import type { PlanBody } from '../../pipeline/plan.js';
import { dividedSequence } from '../../pipeline/rows/sequences.js';
import { rlMask } from '../../pipeline/task-context.js';
import type { RlRow, SftRow } from '../../tables/table-specs.js';
import { sameIds } from '../../tokens/encode-layout.js';
import { createRowEncoder } from '../../tokens/encode-row.js';
import type { Encoder } from '../../tokens/encoder.js';
import { layOut } from '../../tokens/layout.js';
import { policyRow } from '../../tokens/policy-row.js';
import { renderAgain } from '../../tokens/prove-stored.js';
import { planRows, type RowPlan } from '../../tokens/stretches.js';
import { ID_DIFFERENCES, type TokenRow } from '../../tokens/token-row.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import type { Turn } from '../../trajectory/turn.js';
import { segmentWindows } from '../../windows/segment.js';
import type { DecodedTokens, PlacedSegments } from './marked-text.js';

interface PlacingEngines {
  readonly encoder: Encoder;
  readonly renderer: ChatRenderer;
}

/** The segments of an sft row by its stored messages: turn i is message i. Null where they do not give its bytes. */
export function placeSft(
  row: Pick<SftRow, 'messages' | 'tools' | 'ids_differ_because'>,
  decoded: DecodedTokens,
  engines: PlacingEngines,
): { readonly placed: PlacedSegments; readonly turns: readonly Turn[] } | null {
  return orNull(() => {
    const { turns } = fromMessages(row.messages);
    const differences = ID_DIFFERENCES.filter((name) => row.ids_differ_because.includes(name));
    const input = { turns, indices: turns.map((_, index) => index), tools: row.tools };
    const { segments } = renderAgain({ ids_differ_because: differences }, input, engines.renderer);
    const placed = placeRendering(segments, decoded, engines.encoder);
    return placed === null ? null : { placed, turns };
  });
}

export interface SequencePlacing extends PlacingEngines {
  readonly trajectory: Trajectory;
  readonly task: TaskRecord | null;
  readonly epoch: number;
  readonly config: PlanBody['config'] | null;
}

/** The segments of a sequence by its source log: turns are those of the trajectory. Null where they do not fit. */
export function placeRl(
  row: Pick<RlRow, 'input_ids'>,
  decoded: DecodedTokens,
  placing: SequencePlacing,
): PlacedSegments | null {
  const { renderer, encoder, trajectory, epoch } = placing;
  return orNull(() => {
    const lastTurn = trajectory.turns.length - 1;
    const plan = planRows({ trajectory, lastTurn, strategy: 'preserve', renderer }).find(
      (each) => each.epoch === epoch,
    );
    if (plan === undefined) return null;
    const recorded = policyRow(trajectory, plan);
    if (recorded !== null) {
      return placeByTokens(row, decoded, recorded) ?? placePart(row, decoded, { ...placing, plan });
    }
    const input = { turns: trajectory.turns, indices: plan.indices, tools: trajectory.tools };
    const rendering = plan.preserve ? renderer.renderPreserving(input) : renderer.render(input);
    const whole = rendering === null ? null : placeRendering(rendering.segments, decoded, encoder);
    return whole ?? placePart(row, decoded, { ...placing, plan });
  });
}

/** A part of an epoch that is longer than the limit: divided again as the run did it, until its very ids come up. */
function placePart(
  row: Pick<RlRow, 'input_ids'>,
  decoded: DecodedTokens,
  { encoder, renderer, trajectory, task, epoch, config, plan }: SequencePlacing & { readonly plan: RowPlan },
): PlacedSegments | null {
  const limit = config?.length.max_tokens ?? null;
  if (config === null || limit === null) return null;
  const segmentation = segmentWindows(trajectory, task, config.windows);
  const request = {
    context: { encoder, rlRowEncoder: createRowEncoder({ encoder, renderer, mask: rlMask(config.mask) }) },
    trajectory,
    plan,
    windows: segmentation.windows.filter((window) => window.epoch === epoch),
  };
  for (const { tokens } of dividedSequence(request, limit)) {
    if (!sameIds(tokens.input_ids, Int32Array.from(row.input_ids))) continue;
    return placeRendering(tokens.segments, decoded, encoder) ?? placeByTokens(row, decoded, tokens);
  }
  return null;
}

function placeRendering(
  segments: readonly Segment[],
  { bytes }: DecodedTokens,
  encoder: Encoder,
): PlacedSegments | null {
  const finder = new SpecialFinder(encoder.specials.keys());
  const layout = layOut({ segments, encoder, finder, cutAfterHeaders: false });
  return layout.bytes === bytes.length ? { segments, starts: layout.low } : null;
}

type SegmentedTokens = Pick<TokenRow, 'input_ids' | 'segment_of_token' | 'segments'>;

/** Recorded tokens have no rendering: where a turn begins is known by token. Null for other tokens. */
function placeByTokens(
  { input_ids: ids }: Pick<RlRow, 'input_ids'>,
  { starts }: DecodedTokens,
  recorded: SegmentedTokens,
): PlacedSegments | null {
  if (!sameIds(recorded.input_ids, Int32Array.from(ids))) return null;
  const segments: Segment[] = [];
  const edges: number[] = [];
  recorded.segment_of_token.forEach((number, token) => {
    const segment = recorded.segments[number];
    if (segment === undefined || (token > 0 && number === recorded.segment_of_token[token - 1])) return;
    // the response of a turn is one piece, whatever spans it holds
    segments.push(segment.turn < 0 ? segment : { ...segment, part: 'text', glue: false });
    edges.push(starts[token] ?? 0);
  });
  return { segments, starts: edges };
}

function orNull<T>(place: () => T | null): T | null {
  try {
    return place();
  } catch (error) {
    if (error instanceof RejectError) return null;
    throw error;
  }
}
