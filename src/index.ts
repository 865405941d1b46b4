// Reading logs

// Templates, tokens and masks
export { loadRenderer } from './chat/load-renderer.js';
export { fromMessages, toMessages } from './chat/messages.js';
export type { ChatRenderer } from './chat/renderer.js';
// Tables and runs
export { EXIT, TrajmillError } from './errors.js';
export { EXPORTERS } from './export/exporters.js';
export { runExport } from './export/run-export.js';
export type { FormatAdapter, RawTrajectory, ReadContext } from './formats/adapter.js';
export type { SessionMark } from './formats/glued-sessions.js';
export { registerFormat } from './formats/known-formats.js';
export { rawTrajectory } from './formats/raw-trajectory.js';
export { type ReadRequest, type ReadResult, readTrajectories } from './formats/reader.js';
export { FORMAT_NAMES, FORMATS } from './formats/registry.js';
// Grading, selection, windows and rewards
export { builtinTasks } from './grading/builtin-tasks.js';
export { isAboveMedian, leaderboardThresholds, medalOf } from './grading/medals.js';
export { TaskIndex } from './grading/task-index.js';
export { type TaskRecord, taskRecordSchema } from './grading/task-record.js';
export { REJECT_CODES, type Reject, RejectError } from './logs/reject.js';
export { createSecretMasker } from './logs/secrets.js';
export { commitRun } from './pipeline/commit-run.js';
export { type PipelineConfig, pipelineSchema } from './pipeline/config.js';
export { parsePipeline } from './pipeline/config-file.js';
export { executeRun } from './pipeline/execute-run.js';
export { planRun } from './pipeline/plan-run.js';
export { runStatus } from './pipeline/run-status.js';
export type { RunSummary } from './pipeline/run-summary.js';
export { corpusStats } from './report/stats/corpus-stats.js';
export { readCorpusFacts } from './report/stats/read-facts.js';
export { groupAdvantages } from './rewards/group-advantage.js';
export { milestoneReward } from './rewards/milestone.js';
export { auditOffPolicy } from './rewards/off-policy-audit.js';
export { type CorrectionBand, policyCorrection, windowLoss } from './rewards/policy-correction.js';
export { wirlReward } from './rewards/wirl.js';
export { type SelectionOptions, selectionSchema } from './selection/options.js';
export { selectPrefixes } from './selection/select.js';
export { collapseSequence, expandSequence, type StoredSequence } from './tables/expanded-rows.js';
export { readManifest } from './tables/manifest.js';
export { readShard } from './tables/read-shard.js';
export { openShardWriter } from './tables/shard-writer.js';
export { TABLES, type TableName } from './tables/table-specs.js';
export { verifyCorpus } from './tables/verify.js';
export { createRowEncoder } from './tokens/encode-row.js';
export type { Encoder, TokenSink } from './tokens/encoder.js';
export { loadEncoder } from './tokens/load-encoder.js';
export { type MaskOptions, maskSchema } from './tokens/mask-options.js';
export { MASK_POLICIES } from './tokens/mask-policy.js';
export { proveStored } from './tokens/prove-stored.js';
export { planRows } from './tokens/stretches.js';
export type { TokenRow } from './tokens/token-row.js';
// The canonical model
export {
  contentSpan,
  makeExecution,
  makeSubmission,
  makeTurn,
  reasoningSpan,
  structuredCallSpan,
} from './trajectory/build.js';
export type { Execution, ScoreScale, Submission } from './trajectory/execution.js';
export { trajectoryId } from './trajectory/identity.js';
export type { Span } from './trajectory/span.js';
export { type Trajectory, trajectorySchema } from './trajectory/trajectory.js';
export type { Turn } from './trajectory/turn.js';
export { TOOL_VERSION } from './version.js';
export { type WindowOptions, windowSchema } from './windows/options.js';
export { segmentWindows } from './windows/segment.js';
export type { ExecutionWindow, WindowSegmentation } from './windows/window.js';
