/** Where data came from: a field of a message, or anything else that the template did not write itself. */
export interface TextSource {
  /** turn of the trajectory, -1 for data of no message */
  readonly turn: number;
  readonly kind: 'content' | 'reasoning' | 'call_name' | 'call_arguments' | 'other';
  /** of a call its span, else -1 */
  readonly span: number;
}

/** A part of a text that is data. Without an offset its place in the source is unknown: it was transformed. */
export interface Trace {
  readonly start: number;
  readonly end: number;
  readonly source: TextSource;
  readonly offset: number | null;
}

const NO_TRACES: readonly Trace[] = [];

/**
 * A string of a running template that remembers which of its characters are data and where each came from. What
 * no trace covers was written by the template. Offsets count UTF-16 units.
 */
export class Text {
  constructor(
    readonly text: string,
    readonly traces: readonly Trace[] = NO_TRACES,
  ) {}

  /** A whole field. */
  static of(text: string, source: TextSource): Text {
    return text === '' ? new Text('') : new Text(text, [{ start: 0, end: text.length, source, offset: 0 }]);
  }

  static join(parts: readonly Text[], glue: Text = EMPTY): Text {
    let text = '';
    const traces: Trace[] = [];
    const add = (part: Text): void => {
      for (const trace of part.traces) {
        traces.push({ ...trace, start: trace.start + text.length, end: trace.end + text.length });
      }
      text += part.text;
    };
    parts.forEach((part, i) => {
      if (i > 0 && glue.text !== '') add(glue);
      add(part);
    });
    return new Text(text, traces);
  }

  slice(start: number, end: number = this.text.length): Text {
    if (start === 0 && end === this.text.length) return this;
    const traces: Trace[] = [];
    for (const trace of this.traces) {
      const from = Math.max(start, trace.start);
      const to = Math.min(end, trace.end);
      if (from >= to) continue;
      const offset = trace.offset === null ? null : trace.offset + from - trace.start;
      traces.push({ start: from - start, end: to - start, source: trace.source, offset });
    }
    return new Text(this.text.slice(start, end), traces);
  }

  /** Another text made of this one: data as a whole, if any of this is. */
  transformed(text: string): Text {
    const source = this.traces[0]?.source;
    return source === undefined || text === ''
      ? new Text(text)
      : new Text(text, [{ start: 0, end: text.length, source, offset: null }]);
  }

  split(separator: string, limit = -1): Text[] {
    const parts: Text[] = [];
    let from = 0;
    while (limit < 0 || parts.length < limit) {
      const at = this.text.indexOf(separator, from);
      if (at < 0) break;
      parts.push(this.slice(from, at));
      from = at + separator.length;
    }
    parts.push(this.slice(from));
    return parts;
  }

  /** str.strip: of blanks, or of any of the given characters, at the given sides. */
  strip(characters: string | null, { left, right }: { left: boolean; right: boolean }): Text {
    const drop = characters === null ? isPythonSpace : (unit: string) => characters.includes(unit);
    let start = 0;
    let end = this.text.length;
    while (left && start < end && drop(this.text[start] ?? '')) start++;
    while (right && end > start && drop(this.text[end - 1] ?? '')) end--;
    return this.slice(start, end);
  }
}

const EMPTY = new Text('');

// str.isspace: unlike JavaScript's trim it takes the separators 1C to 1F and U+0085, and leaves U+FEFF.
const PYTHON_SPACES = new Set([
  ...[9, 10, 11, 12, 13, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f],
  ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x3000],
]);

/** Whether str.isspace holds for a UTF-16 unit. */
export function isPythonSpace(unit: string): boolean {
  return PYTHON_SPACES.has(unit.charCodeAt(0));
}
