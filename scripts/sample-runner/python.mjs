import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Folder of the Python parts: task generator, grader, baselines. */
export const PYTHON_DIR = join(HERE, 'python');

/**
 * The Python 3 that all programs run under, as its own binary rather than a shim, with the library prefix that
 * shows up in tracebacks. Throws where there is none.
 */
export function findPython() {
  const probe = 'import sys; print(sys.executable); print(sys.base_prefix); print(sys.version.split()[0])';
  const found = spawnSync('python3', ['-c', probe], { encoding: 'utf8' });
  if (found.status !== 0) throw new Error('sample-runner: python3 is needed and does not run');
  const [executable, prefix, version] = found.stdout.trim().split('\n');
  return { executable, prefix, version };
}

/** What every child process gets: nothing of the caller's environment but a path. */
export function childEnvironment(python) {
  return {
    PATH: `${dirname(python.executable)}:/usr/local/bin:/usr/bin:/bin`,
    LANG: 'C.UTF-8',
    PYTHONHASHSEED: '0',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

/** Runs one of our own Python parts and gives the JSON that it prints. */
export function callPython(python, script, args) {
  const run = spawnSync(python.executable, ['-S', join(PYTHON_DIR, script), ...args], {
    encoding: 'utf8',
    env: childEnvironment(python),
    maxBuffer: 1 << 26,
  });
  if (run.status !== 0) throw new Error(`sample-runner: ${script} failed\n${run.stderr}`);
  return JSON.parse(run.stdout);
}
