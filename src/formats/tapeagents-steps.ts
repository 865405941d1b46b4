import { fieldPath, listAt, objectAt, objectOf, stringAt } from './fields.js';
import { isObject, type JsonObject } from './shape.js';

/** A step of a tape. */
export interface TapeStep {
  readonly fields: JsonObject;
  readonly path: string;
  readonly kind: string;
  /** path of agents, `Initiator/Manager/Coder`; empty for what the environment appended */
  readonly agent: string;
  /** the call of a language model, or the run of a node, that made it; empty where none did */
  readonly prompt_id: string;
  /** the logged call of a language model, in tapes of reinforcement learning */
  readonly llm_call: JsonObject | null;
}

export function readTapeSteps(tape: JsonObject, path: string): TapeStep[] {
  return (listAt(tape, 'steps', path) ?? []).map((value, index) => {
    const stepPath = `${fieldPath(path, 'steps')}[${index}]`;
    const fields = objectOf(value, stepPath);
    const metadata = objectAt(fields, 'metadata', stepPath) ?? {};
    const other = isObject(metadata['other']) ? metadata['other'] : {};
    return {
      fields,
      path: stepPath,
      kind: stringAt(fields, 'kind', stepPath) ?? '',
      agent: stringAt(metadata, 'agent', fieldPath(stepPath, 'metadata')) ?? '',
      prompt_id: stringAt(metadata, 'prompt_id', fieldPath(stepPath, 'metadata')) ?? '',
      llm_call: isObject(other['llm_call']) ? other['llm_call'] : null,
    };
  });
}

/** Steps by which agents hand over to one another; they carry no text of their own, or a copy. */
const CONTROL: ReadonlySet<string> = new Set(['set_next_node', 'broadcast', 'pass', 'jump', 'final_step']);

export type StepRole = 'control' | 'prompt' | 'observation' | 'action';

/**
 * What a step is. A first call hands the task to the agents; a reply of an agent that runs code for others is written
 * by its own program, not by a model.
 */
export function roleOfStep(
  step: TapeStep,
  at: { executors: ReadonlySet<string>; started: boolean },
): StepRole {
  const text = step.fields['content'];
  if (CONTROL.has(step.kind)) return 'control';
  if (step.kind === 'system' || step.kind === 'user') return 'prompt';
  if (step.kind === 'call')
    return typeof text === 'string' && text !== '' && !at.started ? 'prompt' : 'control';
  if (step.kind === 'execute_code' && at.executors.has(step.agent)) return 'control';
  if (step.kind === 'respond' && (text ?? '') === '') return 'control';
  if (step.llm_call !== null) return 'action';
  if (step.agent === '' && step.prompt_id === '') return 'observation';
  return step.kind === 'respond' && at.executors.has(step.agent) ? 'observation' : 'action';
}

/** Agents that take programs out of what others wrote and run them. */
export function executorsOf(steps: readonly TapeStep[]): ReadonlySet<string> {
  return new Set(
    steps.filter((step) => step.kind === 'execute_code' && step.llm_call === null).map((step) => step.agent),
  );
}

/** The last name on a path of agents. */
export function agentName(step: TapeStep): string | null {
  const name = step.agent.slice(step.agent.lastIndexOf('/') + 1);
  return name === '' ? null : name;
}
