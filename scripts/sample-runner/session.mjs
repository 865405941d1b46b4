import { join } from 'node:path';
import { executeProgram, openSandbox, removeFile, writtenAt } from './sandbox.mjs';
import { medalOf } from './task.mjs';

const SUBMISSION = 'submission.csv';

/**
 * Plays a script on a task and records what really happened. A script is a list of turns, each with `say`, maybe
 * `think`, and one of `run` (a program), `try` (a program whose file is not handed in), `score` (hand in what lies
 * there), `info` (a question to the harness), or nothing (plain text). `say` and `think` may be functions of the
 * last scores, so that they can speak of numbers which only the run knows.
 */
export async function playScript({ script, task, python, folder }) {
  const sandbox = openSandbox({
    folder,
    name: task.task_id,
    python,
    copy: { data: task.public },
    files: script.files ?? {},
  });
  const turns = [];
  const seen = [];
  let last = null;
  for (const turn of script.turns) {
    const speak = (text) => (typeof text === 'function' ? text({ last, seen }) : text);
    const played = { ...turn, say: speak(turn.say ?? ''), think: turn.think ? speak(turn.think) : null };
    const program = turn.run ?? turn.try;
    if (program !== undefined) {
      last = await runProgram({ sandbox, task, program, script });
      played.result = last;
      if (last.grade.valid) seen.push(last.grade.score);
    } else if (turn.score) {
      const graded = gradeStanding({ sandbox, task });
      played.result = { ...graded, stale: graded.grade.exists && !(last?.fresh && last.status === 'ok') };
      if (script.clean_after_score !== false) removeFile(sandbox, SUBMISSION);
    }
    played.at = played.result?.completed_at ?? new Date().toISOString();
    turns.push(played);
  }
  return { script, task, sandbox, turns };
}

async function runProgram({ sandbox, task, program, script }) {
  const before = writtenAt(sandbox, SUBMISSION);
  const result = await executeProgram(sandbox, {
    code: program,
    file: script.program_file ?? 'run.py',
    limit: script.limit,
  });
  const after = writtenAt(sandbox, SUBMISSION);
  const fresh = after !== null && after !== before;
  // A file that a failed run left, or an earlier run, is not a submission of this one.
  const counts = fresh && result.status === 'ok';
  const grade = counts ? medalled(task, task.grade(join(sandbox.folder, SUBMISSION))) : noGrade();
  if (script.keep_file !== true && !script.turns.some((turn) => turn.score)) removeFile(sandbox, SUBMISSION);
  return { ...result, present: after !== null, fresh, grade };
}

function gradeStanding({ sandbox, task }) {
  const started_at = new Date().toISOString();
  const clock = performance.now();
  const grade = medalled(task, task.grade(join(sandbox.folder, SUBMISSION)));
  const seconds = Math.round(performance.now() - clock) / 1000;
  return { status: 'ok', started_at, completed_at: new Date().toISOString(), seconds, grade };
}

function noGrade() {
  return { exists: false, valid: false, score: null, medal: null, error: 'submission.csv not found' };
}

function medalled(task, grade) {
  return { ...grade, medal: grade.valid ? medalOf(grade.score, task) : null };
}
