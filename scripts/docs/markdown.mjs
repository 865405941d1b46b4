// Small pieces of Markdown.

/** Text inside a table cell. */
export function cell(text) {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Code inside a table cell; nothing for an empty text. */
export function code(text) {
  return text === '' ? '' : `\`${text}\``;
}

/** A table; cells are strings that are already Markdown. */
export function table(columns, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A list of names, or a word where it is empty. */
export function names(list, none = 'none') {
  return list.length === 0 ? none : list.map(code).join(', ');
}

/** Two columns out of an object of texts. */
export function glossary(columns, texts) {
  return table(
    columns,
    Object.entries(texts).map(([name, text]) => [code(name), text]),
  );
}
