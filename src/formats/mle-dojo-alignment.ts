import type { DojoAction } from './mle-dojo-history.js';

export interface ShownReply {
  /** action that the reply wrote, null where it wrote none that parses */
  readonly name: string | null;
  /** text of the message that answers it, null where the log ends first */
  readonly shown: string | null;
}

/**
 * For each reply the index of its action in the history, or null. The i-th reply is the i-th action, and the answer
 * quotes the action's feedback; where the numbers differ (a repaired reply, an inherited beginning), only a quoted
 * feedback pairs them, so that no score goes to another call. Doubts are added to `flags`.
 */
export function alignActions(request: {
  replies: readonly ShownReply[];
  actions: readonly DojoAction[];
  flags: Set<string>;
}): (number | null)[] {
  const { replies, actions, flags } = request;
  if (actions.length === 0) return replies.map(() => null);
  const surplus = replies.length - actions.length;
  const inOrder = firstFit({ replies, actions, flags });
  if (surplus <= 0 || !hasGap(inOrder)) return inOrder;
  // An earlier run's reply that asked what this run asked first was told the same: the last ones are this run's.
  const own = replies.slice(surplus);
  const atEnd = own.every((reply, index) => isAnswered(reply, actions[index], index === own.length - 1));
  return atEnd ? replies.map((_, index) => (index < surplus ? null : index - surplus)) : inOrder;
}

/** Whether a reply without an action stands between replies that have one. */
function hasGap(matched: readonly (number | null)[]): boolean {
  const first = matched.findIndex((action) => action !== null);
  const last = matched.findLastIndex((action) => action !== null);
  return first !== -1 && matched.slice(first, last).includes(null);
}

function isAnswered(reply: ShownReply, action: DojoAction | undefined, last: boolean): boolean {
  if (action === undefined) return false;
  if (reply.shown === null) return last && reply.name === action.action;
  const feedback = (action.feedback ?? '').trim();
  return feedback !== '' && reply.shown.includes(feedback);
}

/** Each reply with the next action that fits. */
function firstFit(request: {
  replies: readonly ShownReply[];
  actions: readonly DojoAction[];
  flags: Set<string>;
}): (number | null)[] {
  const { replies, actions, flags } = request;
  const sameNumber = replies.length === actions.length;
  let next = 0;
  const matched = replies.map((reply) => {
    const action = actions[next];
    if (action === undefined) return null;
    const named = reply.name === null || reply.name === action.action;
    const quoted =
      reply.shown !== null && action.feedback !== null && reply.shown.includes(action.feedback.trim());
    const last = reply.shown === null && named;
    if (!quoted && !last && !(sameNumber && named)) return null;
    if (!quoted && !last) flags.add('feedback_differs_from_sidecar');
    if (!named) flags.add('action_differs_from_sidecar');
    return next++;
  });
  if (next < actions.length || matched.includes(null)) flags.add('actions_do_not_match_messages');
  return matched;
}
