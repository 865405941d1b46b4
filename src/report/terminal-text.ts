/** What would change the direction of the text around it on a terminal, so that it reads as something else. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CONTROL_OR_DIRECTION = new RegExp(`\\p{Cc}|${DIRECTION.source}`, 'gu');
/** What JSON leaves as it is of them. */
const LEFT_BY_JSON = new RegExp(`[\u007f-\u009f]|${DIRECTION.source}`, 'gu');

/** `\u202e` for a character that would not be seen as itself. */
export function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Text with its marks of direction as escapes. */
export function withoutDirection(text: string): string {
  return text.replace(DIRECTION, escapeUnit);
}

/** A message that may quote a log: as `nameText`, but its own line breaks stay. */
export function messageText(message: string): string {
  return message.split('\n').map(nameText).join('\n');
}

/** A value as JSON that a terminal may show: the same value, with escapes for what would not be seen as itself. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(LEFT_BY_JSON, escapeUnit);
}

/** A name out of a log, harmless to a terminal: control characters and marks of direction as escapes. */
export function nameText(name: string): string {
  return name.replace(CONTROL_OR_DIRECTION, escapeUnit);
}
