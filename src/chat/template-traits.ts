import { RejectError } from '../logs/reject.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../trajectory/build.js';
import type { Turn } from '../trajectory/turn.js';
import { labelParts } from './label-parts.js';
import { toChatMessages } from './message.js';
import { type RawPiece, turnOf } from './raw-piece.js';
import type { SpecialFinder } from './special-tokens.js';
import type { ArgumentsForm, TemplateInput, TemplateProgram } from './template-run.js';

/** What a template does, found out by running it on small conversations. */
export interface TemplateTraits {
  readonly argumentsForm: ArgumentsForm;
  /** what opens a turn of the model, by the role of the turn before it */
  readonly headers: ReadonlyMap<string | null, readonly string[]>;
  /** it ends the model's turns with nothing: the token that opens the next message is their stop */
  readonly borrowsStop: boolean;
  /** it closes the last turn of the model with another stop than earlier ones, as harmony does */
  readonly stopVaries: boolean;
}

const ARGUMENTS = '{"key": "value"}';

const user = makeTurn('user', [contentSpan('prompt', 'environment', 'question')]);
const tool = makeTurn('tool', [contentSpan('observation', 'environment', 'result')], { tool_call_id: 'c' });
const text = contentSpan('text', 'model', 'answer');
const thought = reasoningSpan('thought');
const call = (args: unknown) => structuredCallSpan({ id: 'c', name: 'tool_name', arguments: args });
const answer = makeTurn('assistant', [text]);
const calling = makeTurn('assistant', [call(JSON.parse(ARGUMENTS))]);

/** Conversations after which the model speaks, by the role of their last turn. */
const BEGINNINGS: readonly (readonly [string | null, readonly Turn[]])[] = [
  ['user', [user]],
  ['tool', [user, calling, tool]],
  ['assistant', [user, answer]],
];

/** What the model may say. */
const SPEECHES: readonly Turn[] = [
  answer,
  makeTurn('assistant', [thought, text]),
  calling,
  makeTurn('assistant', [thought, calling.spans[0] ?? text]),
];

/** Finds the traits of a template. Conversations that it refuses teach nothing. */
export function templateTraits(program: TemplateProgram, specials: SpecialFinder): TemplateTraits {
  const argumentsForm = argumentsFormOf(program);
  const run = (turns: readonly Turn[], generation = false): RawPiece[] | null =>
    tryRun(program, { turns, generation, form: argumentsForm });
  const headers = new Map<string | null, string[]>();
  for (const [role, turns] of BEGINNINGS) {
    const prompt = run(turns, true);
    const found = SPEECHES.map((speech) => headerOf(prompt, run([...turns, speech]), turns.length));
    headers.set(role, [...new Set(found.filter((header) => header !== null))]);
  }
  const options = { headers, specials, tagged: program.tagged };
  const stopOf = (turns: readonly Turn[], borrowsStop: boolean): string | null =>
    orNull(() => {
      const pieces = program.run({ ...messagesOf(turns), generation: false, form: argumentsForm });
      const messages = new Map(messagesOf(turns).messages.map((message) => [message.turn, message]));
      const { segments } = labelParts(pieces, { ...options, messages, borrowsStop });
      return segments.find((segment) => segment.part === 'stop' && segment.turn === 1)?.text ?? null;
    });
  const last = stopOf([user, answer], false);
  const earlier = stopOf([user, answer, user], false);
  return {
    argumentsForm,
    headers,
    borrowsStop: !program.tagged && earlier === null && stopOf([user, answer, user], true) !== null,
    stopVaries: last !== null && earlier !== null && last !== earlier,
  };
}

function tryRun(
  program: TemplateProgram,
  { turns, generation, form }: { turns: readonly Turn[]; generation: boolean; form: ArgumentsForm },
): RawPiece[] | null {
  return orNull(() => program.run({ ...messagesOf(turns), generation, form }));
}

function messagesOf(turns: readonly Turn[]): Pick<TemplateInput, 'messages' | 'tools'> {
  return { messages: toChatMessages(turns, [...turns.keys()]), tools: null };
}

/** Null where the messages are refused. */
function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof RejectError) return null;
    throw error;
  }
}

function joined(pieces: readonly RawPiece[] | null): string | null {
  return pieces === null ? null : pieces.map((piece) => piece.text).join('');
}

/** A string is taken where it is printed as it stands, and both forms where they give the same text. */
function argumentsFormOf(program: TemplateProgram): ArgumentsForm {
  const printed = (args: unknown, form: ArgumentsForm): string | null =>
    joined(
      tryRun(program, {
        turns: [user, makeTurn('assistant', [call(args)])],
        generation: false,
        form,
      }),
    );
  const string = printed(ARGUMENTS, 'string');
  const object = printed(JSON.parse(ARGUMENTS), 'object');
  if (object !== null && object === string) return 'either';
  if (object !== null && /key.*value/s.test(object)) return 'object';
  return string?.includes(ARGUMENTS) === true ? 'string' : 'either';
}

/** What the generation prompt prints in the place where the turn begins, null where the text before it differs. */
function headerOf(
  prompt: readonly RawPiece[] | null,
  whole: readonly RawPiece[] | null,
  turn: number,
): string | null {
  const [before, all] = [joined(prompt), joined(whole)];
  if (before === null || all === null || whole === null) return null;
  const first = whole.findIndex((piece) => turnOf(piece) === turn);
  if (first < 0) return null;
  const start = whole.slice(0, first).reduce((length, piece) => length + piece.text.length, 0);
  if (start > before.length) return all.startsWith(before) ? '' : null;
  return before.startsWith(all.slice(0, start)) ? before.slice(start) : null;
}
