/**
 * A value that a `json` column writes as JSON.stringify would, but straight into the bytes of the column: without the
 * string in between, which for the messages of a row is the larger part of the work.
 */
export class JsonValue {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  toString(): string {
    return JSON.stringify(this.value);
  }
}
