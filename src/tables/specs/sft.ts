import { STRATEGIES } from '../../chat/renderer.js';
import { MEDALS } from '../../grading/task-record.js';
import { PREFIX_KINDS, SELECTION_RULES } from '../../selection/decision.js';
import { ID_DIFFERENCES, type MaskProofs } from '../../tokens/token-row.js';
import { SCORE_SCALES } from '../../trajectory/execution.js';
import type { TableSpec } from '../table-spec.js';
import { LINEAGE_COLUMNS } from './lineage.js';

/** Names of the five mask proofs, as they stand in column `proofs`. */
export const PROOF_NAMES = [
  'lengths',
  'trained_text',
  'stop_tokens',
  'no_injected_specials',
  'ids_equal_rendering',
] as const satisfies readonly (keyof MaskProofs)[];

export const SFT_TABLE = {
  name: 'sft',
  doc: 'One stretch of a selected prefix: ids, loss mask and the messages they were rendered from.',
  key: 'row_id',
  token_column: 'input_ids',
  columns: [
    ...LINEAGE_COLUMNS,
    {
      name: 'row_id',
      type: 'string',
      nullable: false,
      doc: 'unique in the corpus and the same in every run',
    },
    {
      name: 'stage',
      type: 'string',
      nullable: true,
      doc: 'training stage that the pipeline names; null without',
    },
    {
      name: 'source',
      type: 'string',
      nullable: true,
      doc: 'source as its input is named; null without',
    },
    {
      name: 'split',
      type: 'string',
      nullable: false,
      doc: 'split of the row; a task family lies in one only',
    },
    {
      name: 'rules',
      type: 'list<string>',
      nullable: false,
      values: SELECTION_RULES,
      doc: 'selection rules that chose this prefix',
    },
    {
      name: 'stretch',
      type: 'int32',
      nullable: false,
      doc: 'index, from 0, of the stretch between template breaks; 0 where there is only one',
    },
    { name: 'epoch', type: 'int32', nullable: false, doc: 'index, from 0, of the context epoch' },
    { name: 'anchor_turn', type: 'int32', nullable: false, doc: 'index of the turn where the prefix ends' },
    {
      name: 'anchor_score',
      type: 'float64',
      nullable: true,
      doc: 'score of the anchor, as logged, unrounded',
    },
    {
      name: 'score_scale',
      type: 'string',
      nullable: true,
      values: SCORE_SCALES,
      doc: 'where the anchor score was measured',
    },
    {
      name: 'medal',
      type: 'string',
      nullable: true,
      values: [...MEDALS, 'none'],
      doc: 'medal of the anchor; none is graded and below bronze, null is unknown',
    },
    {
      name: 'threshold_source',
      type: 'string',
      nullable: true,
      doc: 'where the quality threshold came from: leaderboard, baselines, corpus_quantiles, pipeline, ...; null without one',
    },
    {
      name: 'weight',
      type: 'float64',
      nullable: false,
      doc: 'mix weight of its stage and source; 1 by default',
    },
    { name: 'input_ids', type: 'list<int32>', nullable: false, doc: 'token ids' },
    {
      name: 'loss_mask',
      type: 'list<int8>',
      nullable: false,
      doc: '1 where the token itself is trained, else 0; as long as input_ids, unshifted',
    },
    { name: 'n_tokens', type: 'int32', nullable: false, doc: 'length of input_ids' },
    { name: 'n_trained', type: 'int32', nullable: false, doc: 'ones in loss_mask, at least 1' },
    { name: 'n_turns', type: 'int32', nullable: false, doc: 'turns rendered in this row' },
    {
      name: 'cut_turns',
      type: 'int32',
      nullable: false,
      doc: 'turns of the trajectory after the anchor, which no row of this prefix holds',
    },
    { name: 'cut_tokens', type: 'int32', nullable: false, doc: 'tokens of those turns' },
    {
      name: 'prefix',
      type: 'string',
      nullable: false,
      values: PREFIX_KINDS,
      doc: 'what stands before the anchor: every turn (chronological), or the nodes of a search tree that led to it (lineage)',
    },
    {
      name: 'off_path_turns',
      type: 'int32',
      nullable: false,
      doc: 'turns of the trajectory before the anchor that are left out, since they lie off its path',
    },
    { name: 'off_path_tokens', type: 'int32', nullable: false, doc: 'tokens of those turns' },
    {
      name: 'straddled_tokens',
      type: 'int32',
      nullable: false,
      doc: 'tokens across the edge of trained text, which are not trained',
    },
    { name: 'mask_policy', type: 'string', nullable: false, doc: 'named policy that the loss mask follows' },
    { name: 'template_sha256', type: 'string', nullable: false, doc: 'sha256 (hex) of the chat template' },
    { name: 'tokenizer_sha256', type: 'string', nullable: false, doc: 'sha256 (hex) of tokenizer.json' },
    {
      name: 'strategy',
      type: 'string',
      nullable: false,
      values: STRATEGIES,
      doc: 'what is done where the template rewrites earlier turns',
    },
    {
      name: 'ids_differ_because',
      type: 'list<string>',
      nullable: false,
      values: ID_DIFFERENCES,
      doc: "why the ids differ from the tokenizer's own rendering of the template; empty where they are equal",
    },
    {
      name: 'proofs',
      type: 'list<string>',
      nullable: false,
      values: PROOF_NAMES,
      doc: 'mask proofs that were checked and held; a row lacking one is never written',
    },
    { name: 'messages', type: 'json', nullable: false, doc: 'JSON list of the messages that were rendered' },
    { name: 'tools', type: 'json', nullable: true, doc: 'JSON list of tool definitions; null without tools' },
  ],
} as const satisfies TableSpec;
