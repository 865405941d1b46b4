import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { childEnvironment } from './python.mjs';

const KILL_GRACE_MS = 1000;

/**
 * A working folder for one attempt. Its real path never reaches a log: `show` puts the neutral `/workspace/NAME`
 * in its place, and `/usr/lib` in place of the interpreter's own library.
 */
export function openSandbox({ folder, name, python, copy = {}, files = {} }) {
  mkdirSync(folder, { recursive: true });
  for (const [place, source] of Object.entries(copy)) {
    cpSync(source, join(folder, place), { recursive: true });
  }
  for (const [place, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    writeFileSync(join(folder, place), text);
  }
  const workspace = `/workspace/${name}`;
  return {
    folder,
    python,
    workspace,
    show: (text) =>
      text
        .replaceAll(folder, workspace)
        .replaceAll(`${python.prefix}/lib/`, '/usr/lib/')
        .replaceAll(python.executable, '/usr/bin/python3'),
  };
}

/**
 * Runs a command in the sandbox under a limit in seconds. Past the limit it gets an interrupt, so that Python leaves
 * its traceback, and soon after a kill. Times are those of this run.
 */
export function execute(sandbox, { command, args, limit, stamp }) {
  const started = Date.now();
  const clock = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: sandbox.folder,
      env: { ...childEnvironment(sandbox.python), ...stamp },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = { stdout: '', stderr: '', both: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (text) => {
        output[stream] += text;
        output.both += text;
      });
    }
    let timedOut = false;
    let grace;
    const timer = setTimeout(() => {
      timedOut = true;
      signalGroup(child.pid, 'SIGINT');
      grace = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), KILL_GRACE_MS);
    }, limit * 1000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      clearTimeout(grace);
      resolve({
        status: timedOut ? 'timeout' : code === 0 ? 'ok' : 'error',
        exit_code: timedOut ? null : code,
        seconds: Math.round(performance.now() - clock) / 1000,
        started_at: new Date(started).toISOString(),
        completed_at: new Date().toISOString(),
        stdout: sandbox.show(output.stdout),
        stderr: sandbox.show(output.stderr),
        output: sandbox.show(output.both),
      });
    });
  });
}

/** Signals a process with all its children; one that ended meanwhile needs no signal. */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Runs a program of the agent: saved under `file`, started there without third-party packages. */
export function executeProgram(sandbox, { code, file, limit }) {
  writeFileSync(join(sandbox.folder, file), code);
  return execute(sandbox, { command: sandbox.python.executable, args: ['-S', file], limit });
}

/** Runs a line of shell. */
export function executeShell(sandbox, { line, limit, stamp }) {
  return execute(sandbox, { command: 'bash', args: ['-c', line], limit, stamp });
}

/** When the file was last written, or null where there is none: tells a fresh submission from a stale one. */
export function writtenAt(sandbox, file) {
  const path = join(sandbox.folder, file);
  return existsSync(path) ? statSync(path).mtimeMs : null;
}

export function removeFile(sandbox, file) {
  rmSync(join(sandbox.folder, file), { force: true });
}
