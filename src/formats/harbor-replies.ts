import { type CallMark, singleCommandMarks } from './inline-calls.js';
import { asString, isObject } from './shape.js';
import { actionMarks } from './swe-agent-actions.js';
import { isHarnessReply } from './swe-agent-exits.js';
import { type LoggedReply, loggedReply, type TerminusProtocol } from './terminus-reply.js';

/** What a step of ATIF has of a reply. */
interface LoggedStep {
  readonly message: string;
  readonly reasoning: string | null;
  readonly calls: readonly unknown[];
  /** the first answer to it */
  readonly answer: string;
}

/** The reply itself: without copies of its words, and with the calls that its model made, in its text or beside it. */
export interface StepReply {
  readonly logged: LoggedReply;
  readonly reasoning: string | null;
  readonly calls: readonly unknown[];
  readonly marks: readonly CallMark[];
  /** what was parsed out of it is put together again, also where that is not all of it: its context looked much so */
  readonly rebuilt: boolean;
}

/** How a converter calls what it made of a command in the text of a reply, and where that command stands there. */
interface Conversion {
  readonly call: string;
  readonly argument: string;
  marks(text: string, command: string): CallMark[];
}

/**
 * Harbor converts logs of these agents: the message is the whole reply, of which it copies the thought into the reasoning,
 * and makes a call of the command, with a tool that the model was never given.
 */
const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  'mini-swe-agent': {
    call: 'bash_command',
    argument: 'command',
    marks: (text) =>
      singleCommandMarks(text, {
        name: 'bash',
        pattern: /```bash\s*\n(.*?)\n```/gs,
        opening: /```bash/,
      }),
  },
  'swe-agent': {
    call: 'swe_agent_action',
    argument: 'raw_action',
    // A command that stands in a sentence alone is none: calls of tools are not recorded.
    marks: (text, command) =>
      actionMarks(text, command).filter(({ start, end }) => end - start > command.trim().length),
  },
};

export function stepReply(
  step: LoggedStep,
  by: { readonly agent: string | null; readonly terminus: TerminusProtocol | null },
): StepReply {
  const { message, calls } = step;
  const conversion = CONVERSIONS[by.agent ?? ''];
  if (conversion === undefined) {
    const logged = loggedReply(step, by.terminus);
    const rebuilt = by.terminus === 'json' && (logged === 'parsed' || logged === 'lost');
    return { logged, reasoning: step.reasoning, calls, marks: [], rebuilt };
  }
  const reasoning = message.includes(step.reasoning?.trim() ?? '') ? null : step.reasoning;
  const command = commandOf(calls, conversion);
  if (command === null) return { logged: 'verbatim', reasoning, calls, marks: [], rebuilt: false };
  const marks = conversion.marks(message, command);
  const harness = isHarnessReply({ content: message, action: command, calls: 0 });
  const logged = harness ? 'harness' : marks.length > 0 ? 'verbatim' : 'lost';
  return { logged, reasoning, calls: [], marks, rebuilt: false };
}

/** The command that the one call of a step was made of; null where its calls are those of a model. */
function commandOf(calls: readonly unknown[], conversion: Conversion): string | null {
  const [call] = calls;
  if (calls.length !== 1 || !isObject(call) || call['function_name'] !== conversion.call) return null;
  const made = call['arguments'];
  return isObject(made) ? asString(made[conversion.argument]) : null;
}
