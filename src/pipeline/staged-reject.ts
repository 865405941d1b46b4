import { type RejectCode, RejectError, type RejectStage } from '../logs/reject.js';

/** A reject with the stage that raised it, so that rejects.jsonl says where in the mill it happened. */
export class StagedReject extends Error {
  readonly stage: RejectStage;
  readonly code: RejectCode;

  constructor(stage: RejectStage, code: RejectCode, message: string) {
    super(message);
    this.name = 'StagedReject';
    this.stage = stage;
    this.code = code;
  }
}

/** Runs a stage; a record that it refuses leaves with the stage's name. */
export function atStage<T>(stage: RejectStage, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RejectError) throw new StagedReject(stage, error.code, error.message);
    throw error;
  }
}
