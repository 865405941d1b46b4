import { toMessages } from '../../chat/messages.js';
import { RejectError } from '../../logs/reject.js';
import type { SelectedPrefix } from '../../selection/decision.js';
import { JsonValue } from '../../tables/json-value.js';
import type { NewTableRow } from '../../tables/table-specs.js';
import { fitRows } from '../../tokens/fit-length.js';
import { planRows } from '../../tokens/stretches.js';
import type { MaskProofs } from '../../tokens/token-row.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import type { CorpusDecisions } from '../corpus-decisions.js';
import type { Tally } from '../counts.js';
import type { StageOfInput } from '../stage.js';
import type { TaskContext } from '../task-context.js';
import { lineage, rowName } from './lineage.js';

type NewSftRow = NewTableRow<'sft'>;

/** Names of the proofs that held; throws a reject when one did not. */
function heldProofs(proofs: MaskProofs, row: string): NewSftRow['proofs'] {
  const failed = Object.entries(proofs).filter(([, held]) => held !== true);
  if (failed.length > 0) {
    throw new RejectError(
      'mask_not_provable',
      `${failed.map(([name]) => name).join(', ')} failed for row ${row}`,
    );
  }
  return Object.keys(proofs) as NewSftRow['proofs'][number][];
}

/** Tokens of turns that no row holds, as the template renders them in the last context that has them. */
function tokensOfTurns(context: TaskContext, trajectory: Trajectory, wanted: Iterable<number>): number {
  const { renderer, encoder, scratch } = context;
  const left = new Set(wanted);
  let tokens = 0;
  for (const { turns: indices } of trajectory.epochs.toReversed()) {
    if (left.size === 0) break;
    const own = new Set(indices.filter((turn) => left.has(turn)));
    if (own.size === 0) continue;
    const { segments } = renderer.render({ turns: trajectory.turns, indices, tools: trajectory.tools });
    let text = '';
    for (const segment of segments) if (own.has(segment.turn)) text += segment.text;
    scratch.length = 0;
    tokens += encoder.encode(text, scratch, 'match');
    for (const turn of own) left.delete(turn);
  }
  return tokens;
}

/**
 * The `sft` rows of a selected prefix, one a stretch, or several where a stretch is too long and the pipeline splits
 * it. What becomes of rows that are too long is told to `overLong`. Stretches without a trained token give no row.
 * Token lists live until the context's arena is cleared.
 */
export function sftRows(options: {
  context: TaskContext;
  corpus: CorpusDecisions;
  trajectory: Trajectory;
  taskId: string | null;
  prefix: SelectedPrefix;
  occurrence: number;
  split: string;
  stage: StageOfInput;
  overLong: Tally;
}): NewSftRow[] {
  const { context, trajectory, prefix, split, stage, overLong } = options;
  const { config } = context.plan.body;
  const plans = planRows({
    trajectory,
    lastTurn: prefix.last_turn,
    offPath: new Set(prefix.off_path),
    strategy: config.strategy,
    renderer: context.renderer,
  });
  const cut = [...trajectory.turns.keys()].slice(prefix.last_turn + 1);
  const cutTokens = tokensOfTurns(context, trajectory, cut);
  const offPathTokens = tokensOfTurns(context, trajectory, prefix.off_path);
  const rows: NewSftRow[] = [];
  for (const plan of plans) {
    const fitted = fitRows({
      trajectory,
      plan,
      encode: (request) => context.rowEncoder.encode(request),
      length: config.length,
      onDropped: () => overLong.add('dropped'),
    });
    for (const { row: encoded, plan: shown, turns, part, outcome, flags } of fitted) {
      if (outcome !== null) overLong.add(outcome);
      const place = `e${plan.epoch}.s${plan.stretch}${part === 0 ? '' : `.p${part}`}`;
      const name = rowName(
        trajectory.trajectory_id,
        options.occurrence,
        `${prefix.rules.join('-')}.${prefix.last_turn}.${place}`,
      );
      rows.push({
        row_id: name,
        stage: stage.name,
        source: stage.source,
        split,
        rules: prefix.rules,
        stretch: plan.stretch,
        epoch: plan.epoch,
        anchor_turn: prefix.anchor_turn,
        anchor_score: prefix.anchor_score,
        score_scale: prefix.score_scale,
        medal: prefix.medal,
        threshold_source: prefix.threshold_source,
        weight: options.corpus.weightOf(stage.name, stage.source),
        input_ids: context.arena.copyIds(encoded.input_ids),
        loss_mask: context.arena.copyMask(encoded.loss_mask),
        n_tokens: encoded.input_ids.length,
        n_trained: encoded.n_trained,
        n_turns: shown.indices.length,
        cut_turns: cut.length,
        cut_tokens: cutTokens,
        prefix: prefix.kind,
        off_path_turns: prefix.off_path.length,
        off_path_tokens: offPathTokens,
        straddled_tokens: encoded.straddled_tokens,
        mask_policy: config.mask.policy,
        template_sha256: context.renderer.sha256,
        tokenizer_sha256: context.encoder.sha256,
        strategy: config.strategy,
        ids_differ_because: encoded.ids_differ_because,
        proofs: heldProofs(encoded.proofs, name),
        messages: new JsonValue(toMessages({ turns }, shown.indices, encoded.trained_turns)),
        tools: trajectory.tools,
        ...lineage(trajectory, options.taskId, [
          ...prefix.flags,
          ...encoded.flags,
          ...(outcome === null ? [] : [outcome]),
          ...flags,
        ]),
      });
    }
  }
  return rows;
}
