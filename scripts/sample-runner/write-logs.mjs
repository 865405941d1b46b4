import { coverageOf, factsOf } from './facts.mjs';
import { writeAideJournal } from './writers/aide-journal.mjs';
import { writeAtif } from './writers/atif.mjs';
import { writeMiniSweAgent } from './writers/mini-swe-agent.mjs';
import { writeMleDojo } from './writers/mle-dojo.mjs';
import { writeOpenaiMessages } from './writers/openai-messages.mjs';
import { writeRllmEpisode } from './writers/rllm-episode.mjs';
import { writeSweAgent } from './writers/swe-agent.mjs';
import { writeTrajmillNative } from './writers/trajmill-native.mjs';

/** One writer per format that keeps one session a file. */
const WRITERS = {
  'mle-dojo': writeMleDojo,
  'aide-journal': writeAideJournal,
  'rllm-episode': writeRllmEpisode,
  atif: writeAtif,
  'swe-agent': writeSweAgent,
  'mini-swe-agent': writeMiniSweAgent,
  'trajmill-native': writeTrajmillNative,
};

/** The session that a second file holds once more, as happens when exports overlap. */
const COPIED = { session: 'frost-openai-silver-repeat', into: 'rollouts-2.jsonl' };

/** Every log file of the sessions, with its format's folder in front of its path. */
export function logFiles(sessions) {
  const files = sessions.flatMap((played) => {
    const { format } = played.script;
    const write = WRITERS[format];
    return write === undefined ? [] : write(played).map((file) => placed(file, format));
  });
  return [...files, ...messageFiles(sessions)].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function messageFiles(sessions) {
  const format = 'openai-messages';
  const rows = sessions.filter((played) => played.script.format === format);
  const copied = rows.filter((played) => played.script.name === COPIED.session);
  const names = [...new Set(rows.map((played) => played.script.file))];
  return names.flatMap((file) => {
    const own = rows.filter((played) => played.script.file === file);
    const copies = file === COPIED.into ? copied : [];
    return writeOpenaiMessages({ file, sessions: own, copies }).map((written) => placed(written, format));
  });
}

function placed(file, format) {
  return { ...file, format, path: `logs/${format}/${file.path}` };
}

/** The facts of the run for tests: per file its sessions, rejects and copies; per task its record and board. */
export function expectedFacts({ files, tasks, python }) {
  const entries = files.map((file) => {
    if (file.sidecar)
      return { path: file.path, format: file.format, sidecar: true, trajectories: [], rejects: [] };
    const whole = file.sessions.filter((played) => !played.script.torn);
    const rejects = file.sessions
      .map((played, index) => ({ played, line: index + 1 }))
      .filter(({ played }) => played.script.torn)
      .map(({ line }) => ({ line, code: 'torn_line' }));
    const trajectories = whole.map((played, index) => ({
      line: file.by_line ? index + 1 : null,
      ...(file.by_line && played.script.file !== undefined && played.script.file !== nameOf(file)
        ? { copy_of: `logs/${file.format}/${played.script.file}` }
        : {}),
      ...factsOf(played),
    }));
    return { path: file.path, format: file.format, trajectories, rejects };
  });
  return {
    made_by: 'scripts/sample-runner',
    python: python.version,
    tasks: Object.fromEntries(tasks.map((task) => [task.task_id, task.record])),
    files: entries,
    coverage: coverageOf(entries),
  };
}

function nameOf(file) {
  return file.path.split('/').at(-1);
}
