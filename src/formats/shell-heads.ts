/** Commands of editors: what follows their first line is text, not commands. */
const EDITORS: ReadonlySet<string> = new Set([
  'edit',
  'insert',
  'create',
  'str_replace',
  'cat',
  'tee',
  'echo',
  'printf',
]);

/**
 * The program that a shell command runs, for tables that name programs: the first of its simple commands whose name
 * is in the table, else its first. Settings before a name (`A=1 python x.py`) and folders of a path are left out.
 */
export function commandHead(command: string, table: ReadonlySet<string>): string {
  const first = headOf(command.trimStart());
  if (table.has(first) || EDITORS.has(first) || command.includes('<<')) return first;
  for (const part of command.split(/&&|\|\||[;|\n]/)) {
    const head = headOf(part.trimStart());
    if (table.has(head)) return head;
  }
  return first;
}

const PREFIX = /^(?:[A-Za-z_]\w*=\S*|sudo|time|nohup|env|exec)$/;

function headOf(command: string): string {
  const words = command.split(/\s+/);
  let at = 0;
  while (PREFIX.test(words[at] ?? '')) at++;
  // `timeout 600 python x.py` runs python.
  if (words[at] === 'timeout') at += 2;
  const word = words[at] ?? '';
  return word.slice(word.lastIndexOf('/') + 1);
}
