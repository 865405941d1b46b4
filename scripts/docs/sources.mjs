// The data that the docs are made from. `load` imports a module of the project by its path without extension, so that
// the script can read the build and a test the sources.

/** Names and first lines of help of every command, as the tool itself prints them. */
async function readHelp(runCli) {
  const print = async (argv) => {
    let text = '';
    const stream = {
      write: (chunk) => {
        text += chunk;
      },
    };
    const context = { cwd: '/', signal: new AbortController().signal };
    await runCli(argv, { ...context, process: { stdout: stream, stderr: stream, env: {} } });
    return text;
  };
  const root = await print(['--help']);
  const commands = root.slice(root.indexOf('COMMANDS')).matchAll(/^ {2}([a-z][\w-]*) +\S/gm);
  const help = {};
  for (const [, name] of commands) help[name] = await print([name, '--help']);
  return help;
}

export async function docsSources(load) {
  const [app, shard, errors, formats, logFlags, redaction, rejects, selection, selectionFlags, windowFlags] =
    await Promise.all(
      [
        'cli/app',
        'cli/shard',
        'errors',
        'formats/registry',
        'formats/log-flags',
        'formats/redact-scores',
        'logs/reject',
        'selection/decision',
        'selection/flags',
        'windows/flags',
      ].map(load),
    );
  const [schemas, masks, wirl, milestone, checks, queryViews, questions, tables, prompts] = await Promise.all(
    [
      'pipeline/json-schemas',
      'tokens/mask-policy',
      'rewards/wirl',
      'rewards/milestone',
      'tables/check-list',
      'report/query/view-list',
      'report/query/question-files',
      'tables/table-specs',
      'pipeline/prompt-variables',
    ].map(load),
  );
  const { 'pipeline.schema.json': pipelineSchema, 'tasks.schema.json': taskFile } = schemas.jsonSchemas();
  return {
    pipelineSchema,
    taskSchema: taskFile.anyOf[0].items,
    help: await readHelp(app.runCli),
    exits: errors.EXIT,
    errorExits: errors.ERROR_EXIT,
    rankVariables: shard.RANK_VARIABLES,
    formats: formats.FORMATS,
    logFlags: { ...logFlags.LOG_FLAGS, ...redaction.REDACTION_FLAGS },
    rejectCodes: rejects.REJECT_CODES,
    filterReasons: selection.FILTER_REASONS,
    selectionFlags: selectionFlags.SELECTION_FLAGS,
    windowFlags: windowFlags.WINDOW_FLAGS,
    prompts: {
      variables: prompts.PROMPT_VARIABLES,
      task: prompts.TASK_FIELDS,
      node: prompts.NODE_FIELDS,
    },
    maskPolicies: masks.MASK_POLICIES,
    wirl: { base: wirl.WIRL_BASE_TENTHS, trend: wirl.WIRL_TREND_TENTHS, graded: wirl.GRADED_OUTCOMES },
    milestones: milestone.MILESTONE_PRESETS,
    checks: Object.values(checks.createCheckList()),
    queryViews: queryViews.QUERY_VIEWS,
    questions: questions.namedQuestions(),
    tableNames: tables.TABLE_NAMES,
  };
}
