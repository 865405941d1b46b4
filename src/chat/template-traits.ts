import { RejectError } from '../logs/reject.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../trajectory/build.js';
import type { Role, Turn } from '../trajectory/turn.js';
import { commonPart } from './assistant-labels.js';
import { labelParts } from './label-parts.js';
import { toChatMessages } from './message.js';
import { type Before, isCallPart, type RawPiece, turnOf } from './raw-piece.js';
import type { SpecialFinder } from './special-tokens.js';
import type { ArgumentsForm, TemplateInput, TemplateProgram } from './template-run.js';

/** What a template does, found out by running it on small conversations. */
export interface TemplateTraits {
  readonly argumentsForm: ArgumentsForm;
  /** what opens a turn of the model, by what stands before it */
  readonly headers: ReadonlyMap<Before, readonly string[]>;
  /** how a header begins that also stands without a generation prompt, such as the end of the results before it */
  readonly closings: ReadonlyMap<Before, string>;
  /** it ends the model's turns with nothing: the token that opens the next message is their stop */
  readonly borrowsStop: boolean;
  /** it closes the last turn of the model with another stop than earlier ones, as harmony does */
  readonly stopVaries: boolean;
  /**
   * the special token that opens the results of calls, where the template prints them in the turn of the calls; '' where it
   * prints none before them, null where results have turns of their own
   */
  readonly resultsToken: string | null;
  /** what ends a call that another one follows, '' where that is not known */
  readonly callEnd: string;
  /** roles of turns that change what was printed before them, apart from recorded reasoning */
  readonly rewriters: ReadonlySet<Role>;
}

const ARGUMENTS = '{"key": "value"}';

const user = makeTurn('user', [contentSpan('prompt', 'environment', 'question')]);
const tool = makeTurn('tool', [contentSpan('observation', 'environment', 'result')], { tool_call_id: 'c' });
const text = contentSpan('text', 'model', 'answer');
const thought = reasoningSpan('pondered');
const call = (args: unknown) => structuredCallSpan({ id: 'c', name: 'tool_name', arguments: args });
const answer = makeTurn('assistant', [text]);
const calling = makeTurn('assistant', [call(JSON.parse(ARGUMENTS))]);
const callingTwice = makeTurn('assistant', [call(JSON.parse(ARGUMENTS)), call(JSON.parse(ARGUMENTS))]);

/** Conversations after which the model speaks, by what their last turn is. */
const BEGINNINGS: readonly (readonly [Before, readonly Turn[]])[] = [
  ['user', [user]],
  ['tool', [user, calling, tool]],
  ['assistant', [user, answer]],
  ['calls', [user, calling]],
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
  const headers = new Map<Before, string[]>();
  const closings = new Map<Before, string>();
  const alwaysPrompts = joined(run([user])) === joined(run([user], true));
  for (const [role, turns] of BEGINNINGS) {
    const prompt = run(turns, true);
    const found = SPEECHES.map((speech) => headerOf(prompt, run([...turns, speech]), turns.length));
    headers.set(role, [...new Set(found.filter((header) => header !== null))]);
    const closing = headerOf(run(turns), run([...turns, answer]), turns.length);
    if (closing !== null && !alwaysPrompts) closings.set(role, closing);
  }
  const resultsToken = resultsTokenOf(run, specials);
  const callEnd = callEndOf(run([user, callingTwice]) ?? []);
  const options = { headers, closings, specials, tagged: program.tagged, resultsToken, callEnd };
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
    closings,
    borrowsStop: !program.tagged && earlier === null && stopOf([user, answer, user], true) !== null,
    stopVaries: last !== null && earlier !== null && last !== earlier,
    resultsToken,
    callEnd,
    rewriters: new Set(
      SETTINGS.flatMap(({ front, tools }) =>
        rewritersOf((turns, generation) =>
          joined(tryRun(program, { turns: [...front, ...turns], tools, generation, form: argumentsForm })),
        ),
      ),
    ),
  };
}

type HowToRun = Pick<TemplateInput, 'generation' | 'form'>;

function tryRun(
  program: TemplateProgram,
  { turns, tools = null, ...how }: { turns: readonly Turn[]; tools?: string | null } & HowToRun,
): RawPiece[] | null {
  return orNull(() => program.run({ ...messagesOf(turns), tools, ...how }));
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

/** What a prompt, or the end of a conversation, prints in the place where the turn begins; null where the text before differs. */
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

/** What opens a result stands behind calls that wait for theirs, once for all of them. */
function resultsTokenOf(
  run: (turns: readonly Turn[]) => RawPiece[] | null,
  specials: SpecialFinder,
): string | null {
  const waiting = joined(run([user, calling]));
  const answered = run([user, calling, tool]);
  const isResult = (piece: RawPiece): boolean =>
    !piece.glue && piece.source.turn === 2 && piece.turn === 1 && piece.source.kind === 'content';
  if (waiting === null || answered === null || !answered.some(isResult)) return null;
  const shared = waiting.slice(0, commonPart(waiting, joined(answered) ?? ''));
  const frame = shared.slice(shared.lastIndexOf('value'));
  const token = specials.last(frame)?.special ?? '';
  let times = 0;
  specials.each(joined(run([user, callingTwice])) ?? frame, (_, special) => {
    if (special === token) times++;
  });
  return times === 1 ? token : '';
}

/** What stands behind the first of two calls as it does behind the last: the last tag of that, where it has one. */
function callEndOf(pieces: readonly RawPiece[]): string {
  const behind = (call: number): string => {
    const last = pieces.findLastIndex(
      (piece) => !piece.glue && isCallPart(piece.source) && piece.source.span === call,
    );
    let text = '';
    for (const piece of last < 0 ? [] : pieces.slice(last + 1)) {
      if (!piece.glue || turnOf(piece) !== 1) break;
      text += piece.text;
    }
    return text;
  };
  const [first, last] = [behind(0), behind(1)];
  const shared = first.slice(0, commonPart(first, last));
  const whole =
    shared.lastIndexOf('<') > shared.lastIndexOf('>') ? shared.slice(0, shared.lastIndexOf('<')) : shared;
  return /(?:<[^<>]*>|[^\s'"]*)$/.exec(whole.trimEnd())?.[0] ?? '';
}

/** A block without thoughts, which some models write. */
const thoughtless = makeTurn('assistant', [
  contentSpan('text', 'model', '<think>\n\n</think>\n\nanswer'),
  ...calling.spans,
]);

const system = makeTurn('system', [contentSpan('prompt', 'environment', 'rule')]);
const LATE: readonly Turn[] = [user, system];

const TOOLS = JSON.stringify([
  {
    type: 'function',
    function: {
      name: 'tool_name',
      description: 'what it does',
      parameters: {
        type: 'object',
        properties: { key: { type: 'string', description: 'what it is' } },
        required: ['key'],
      },
    },
  },
]);

/** What templates are seen to turn on: each place in a row is looked at again, so that one too many costs time alone. */
const SETTINGS = [
  { front: [], tools: null },
  { front: [system], tools: null },
  { front: [], tools: TOOLS },
  { front: [system], tools: TOOLS },
] as const;

/** What the model was given, and what it then said. */
const VIEWS = [
  { turns: [user], generation: false, reply: answer },
  { turns: [user], generation: true, reply: answer },
  { turns: [user, calling, tool], generation: false, reply: answer },
  { turns: [user, thoughtless, tool], generation: false, reply: answer },
] as const;

/** A view that the reply goes on with, but that is gone once another turn follows. */
function rewritersOf(text: (turns: readonly Turn[], generation: boolean) => string | null): Role[] {
  const rewrites = (late: Turn): boolean =>
    VIEWS.some(({ turns, generation, reply }) => {
      const view = text(turns, generation);
      const before = text([...turns, reply], false);
      const after = text([...turns, reply, late], false);
      if (view === null || before === null || after === null) return false;
      return before.startsWith(view) && !after.startsWith(view);
    });
  return LATE.filter(rewrites).map(({ role }) => role);
}
