// The generated parts of docs/*.md, by name. They are made from the data of the code, which is given: the script
// gives the build, a test the sources.
import { code, glossary, names, table } from './markdown.mjs';
import { schemaKeys } from './schema-keys.mjs';

const yes = (flag) => (flag ? 'yes' : 'no');

function formatTable({ formats }) {
  const columns = ['format', 'written by', 'scores', 'executions', 'reasoning', 'token ids', 'log-probs'];
  const rows = formats.map(({ name, notes: n }) => {
    return [code(name), n.title, n.scores, n.executions, n.reasoning, n.token_ids, n.logprobs];
  });
  return table(columns, rows);
}

function formatDetails({ formats }) {
  return formats
    .map(({ name, version, notes, experiments }) => {
      const facts = [
        `- recognised by: ${notes.recognised_by}`,
        `- experiments: ${names(experiments.experiment)}; calls that only score: ${names(experiments.scoring)}`,
        ...notes.loss.map((loss) => `- lost: ${loss}`),
      ];
      return `### ${name}\n\n${notes.title}. Adapter version ${version}.\n\n${facts.join('\n')}`;
    })
    .join('\n\n');
}

/** Three lists: the variables, and the fields of two of them. */
function promptVariables({ prompts: { variables, task, node } }) {
  const list = (what, fields) => glossary([what, 'meaning'], fields);
  return [list('variable', variables), list('field of task', task), list('field of a node', node)].join(
    '\n\n',
  );
}

function maskPolicies({ maskPolicies: policies }) {
  const parts = ['header', 'marked_header', 'stop', 'separator', 'empty_think'];
  const titles = [
    'policy',
    'header',
    'header in a generation block',
    'stop token',
    'newline after it',
    'empty think block of the template',
  ];
  return table(
    titles,
    Object.entries(policies).map(([name, policy]) => [code(name), ...parts.map((part) => yes(policy[part]))]),
  );
}

/** Error codes by the exit code that they end with. */
function errorCodes({ exits, errorExits }) {
  const rows = Object.entries(exits).map(([name, exit]) => {
    const codes = Object.keys(errorExits).filter((error) => errorExits[error] === exit);
    return [String(exit), name, names(codes, '')];
  });
  return table(['exit code', 'name', 'errors'], rows);
}

function rankVariables({ rankVariables: variables }) {
  const rows = variables.map(({ index, count, first }) => {
    return [code(index), code(count), first === undefined ? '0' : code(first)];
  });
  return table(['rank', 'number of ranks', 'first rank'], rows);
}

function rewards({ wirl }) {
  const rows = Object.entries(wirl.base).map(([outcome, tenths]) => {
    if (tenths === null) return [code(outcome), 'null', 'null', 'null'];
    const terms = ['fell', 'same', 'rose'].map((trend) => {
      return String((tenths + (wirl.graded.has(outcome) ? wirl.trend[trend] : 0)) / 10);
    });
    return [code(outcome), ...terms];
  });
  return table(['outcome', 'score fell', 'same, or nothing to compare', 'score rose'], rows);
}

function milestones({ milestones: presets }) {
  const weights = ['format', 'execute', 'median', 'bronze', 'silver', 'gold'];
  return table(
    ['reading', ...weights, 'median counts', 'submission', 'format term'],
    Object.entries(presets).map(([name, p]) => {
      return [code(name), ...weights.map((w) => String(p.weights[w])), p.median, p.submission, p.format];
    }),
  );
}

function verifyChecks({ checks }) {
  return glossary(['check', 'what holds'], Object.fromEntries(checks.map((c) => [c.name, c.statement])));
}

function commands({ help }) {
  return Object.entries(help)
    .map(([name, text]) => `### trajmill ${name}\n\n\`\`\`text\n${text.trim()}\n\`\`\``)
    .join('\n\n');
}

/** What SQL can ask: tables by their page, and columns of what lies beside them. */
function queryViews({ queryViews: views, tableNames }) {
  const rows = views.map(({ name, doc, columns }) => {
    const own = tableNames.includes(name)
      ? '[tables.md](tables.md)'
      : names(columns.map((column) => column.name));
    return [code(name), doc, own];
  });
  return table(['view', 'a row', 'columns'], rows);
}

function namedQuestions({ questions }) {
  const rows = questions.map(({ name, description, parameters }) => {
    const values = parameters.map((parameter) => {
      const fallback = parameter.default === null ? '' : ` (${parameter.default})`;
      return `${code(parameter.name)}: ${parameter.meaning}${fallback}`;
    });
    return [code(`@${name}`), description, values.join('; ')];
  });
  return table(['question', 'answer', 'parameters'], rows);
}

const BLOCKS = {
  'pipeline-keys': ({ pipelineSchema }) => schemaKeys(pipelineSchema),
  'task-keys': ({ taskSchema }) => schemaKeys(taskSchema),
  commands,
  'error-codes': errorCodes,
  'rank-variables': rankVariables,
  formats: formatTable,
  'format-details': formatDetails,
  'reject-codes': ({ rejectCodes }) => glossary(['code', 'meaning'], rejectCodes),
  'log-flags': ({ logFlags }) => glossary(['flag', 'meaning'], logFlags),
  'filter-reasons': ({ filterReasons }) => glossary(['reason', 'meaning'], filterReasons),
  'selection-flags': ({ selectionFlags }) => glossary(['flag', 'meaning'], selectionFlags),
  'prompt-variables': promptVariables,
  'window-flags': ({ windowFlags }) => glossary(['flag', 'meaning'], windowFlags),
  'mask-policies': maskPolicies,
  rewards,
  milestones,
  'verify-checks': verifyChecks,
  'query-views': queryViews,
  'named-questions': namedQuestions,
};

/** Text of every generated part: name to Markdown. */
export function generatedBlocks(sources) {
  return new Map(Object.entries(BLOCKS).map(([name, make]) => [name, make(sources)]));
}

const PLACE = /<!-- generated: ([\w-]+) -->\n[\s\S]*?<!-- end of generated -->/g;

/** A page with its generated parts filled in, and the names of those parts. Throws on a name that is unknown. */
export function fillPage(text, blocks) {
  const used = [];
  const filled = text.replace(PLACE, (_, name) => {
    const block = blocks.get(name);
    if (block === undefined) throw new Error(`no generated part is called ${name}`);
    used.push(name);
    return `<!-- generated: ${name} -->\n\n${block}\n\n<!-- end of generated -->`;
  });
  return { text: filled, used };
}
