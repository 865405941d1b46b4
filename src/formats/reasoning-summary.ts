import { reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';

/** Flag of a reply, or of a run, whose reasoning stands in the log as a summary. */
export const REASONING_SUMMARY = 'reasoning_summary';

/**
 * A provider's words about reasoning that it keeps to itself. The policy did not generate them, so they are environment
 * and never trained; they stay apart from what the reply says.
 */
export function summarySpan(text: string): Span {
  return { ...reasoningSpan(text), origin: 'environment' };
}

/** Of reasoning that a log has as these spans: it is hidden where there are none, a summary where no model wrote them. */
export function reasoningFlags(spans: readonly Span[]): string[] {
  if (spans.length === 0) return ['reasoning_hidden'];
  return spans.some(isSummary) ? [REASONING_SUMMARY] : [];
}

export function isSummary(span: Span): boolean {
  return span.kind === 'reasoning' && span.origin === 'environment';
}

/** Models whose providers keep their reasoning and send a summary of it; those with open weights are none of them. */
const KEEPS_REASONING = /\b(?:gpt-(?!oss)|codex|gemini|o[1-9](?:-|$))/i;

export function sendsSummaries(model: string | null): boolean {
  return model !== null && KEEPS_REASONING.test(model);
}

/** Since its fourth generation Anthropic sends a summary of long thinking as if it were the thinking. */
const SUMMARISES = /claude-(?:(?:opus|sonnet|haiku)-)?[4-9]/;

/** The log does not say which thinking is a summary, so that it stays the model's, with a flag. */
export function thinkingFlags(turns: readonly Turn[], model: string | null): string[] {
  const may = turns.some((turn) =>
    turn.spans.some(
      (span) =>
        span.kind === 'reasoning' && span.origin === 'model' && SUMMARISES.test(span.model ?? model ?? ''),
    ),
  );
  return may ? ['reasoning_may_be_summary'] : [];
}
