import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseQuestion, type Question } from './question.js';
import { SqlMistake } from './sql-mistake.js';

/** data/queries of the package: three folders up from here in src and in dist alike. */
const folder = fileURLToPath(new URL('../../../data/queries/', import.meta.url));

/** The named questions that the package ships, by name. */
export function namedQuestions(): readonly Question[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => parseQuestion(file.replace(/\.sql$/, ''), readFileSync(join(folder, file), 'utf8')));
}

/** The question of a name, without its @. Throws SqlMistake that names those that begin alike. */
export function questionNamed(name: string): Question {
  const questions = namedQuestions();
  const found = questions.find((question) => question.name === name);
  if (found !== undefined) return found;
  const near = questions
    .filter((question) => question.name.includes(name.slice(0, 5)))
    .map((each) => `@${each.name}`);
  const hint = near.length === 0 ? 'trajmill query --list shows them' : `is it ${near.join(' or ')}?`;
  throw new SqlMistake(`no question is called @${name}: ${hint}`);
}
