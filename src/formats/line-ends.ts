/**
 * A text log with the line ends that its tool wrote. Where every line ends in CRLF the file was written, or checked
 * out, on Windows, and the CR belongs to no voice; a CR in some lines alone is part of what was said.
 */
export function plainLineEnds(text: string): string {
  const lines = text.split('\n');
  const windows = lines.length > 1 && lines.slice(0, -1).every((line) => line.endsWith('\r'));
  return windows ? lines.map((line) => line.replace(/\r$/, '')).join('\n') : text;
}
