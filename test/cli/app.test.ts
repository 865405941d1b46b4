import { describe, expect, it } from 'vitest';
import { runCli, spreadInputs } from '../../src/cli/app.js';
import { TOOL_VERSION } from '../../src/version.js';
import { cli, memoryStream, temporaryFolder } from './harness.js';

const COMMANDS = [
  'run',
  'plan',
  'commit',
  'status',
  'inspect',
  'tokens',
  'verify',
  'grade',
  'stats',
  'explain',
  'view',
  'report',
  'rescore',
  'compare',
  'diff',
  'formats',
  'schema',
];

describe('help', () => {
  it('of the whole tool names every command', async () => {
    const { code, out, err } = await cli(['--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatchSnapshot();
  });

  it.each(COMMANDS)('of %s has examples', async (command) => {
    const { code, out } = await cli([command, '--help']);
    expect(code).toBe(0);
    expect(out).toContain(`EXAMPLES\n  trajmill ${command}`);
    expect(out).toMatchSnapshot();
  });

  it('prints the version of the package', async () => {
    expect((await cli(['--version'])).out.trim()).toBe(TOOL_VERSION);
  });
});

describe('usage errors', () => {
  it.each([
    [['rnu', 'x.yaml'], 'did you mean `run`?'],
    [['run', 'x.yaml', '--wrokers', '2'], 'did you mean --workers?'],
    [['run', 'x.yaml', '--workers', '0'], 'expected a whole number from 1'],
    [['run', 'x.yaml', '--workers', 'two'], 'expected a whole number from 1'],
    [['run', 'x.yaml', '--shard', '4/4'], 'expected i/n with i from 0 to n-1'],
    [['run'], 'PIPELINE'],
    [['schema', 'sftt'], 'sft|rl|windows|expanded|executions|trajectories'],
    [['verify', '.', 'another'], 'Too many arguments'],
    [['inspect'], 'FILE'],
  ])('%j says what is wrong and ends with 2', async (argv, message) => {
    const { code, out, err } = await cli(argv);
    expect(err).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  it('a pipeline that does not exist is one line and 2', async () => {
    const { code, out, err } = await cli(['run', 'missing.yaml'], { cwd: temporaryFolder() });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^trajmill: .*missing\.yaml.*\n$/);
  });

  it('a folder without a run or a corpus is 2', async () => {
    const cwd = temporaryFolder();
    for (const command of ['status', 'commit', 'verify']) {
      const { code, err } = await cli([command, '.'], { cwd });
      expect(code).toBe(2);
      expect(err).toContain('trajmill: ');
    }
  });
});

describe('an unexpected fault', () => {
  const broken = {
    write: () => {
      throw new RangeError('first line\nsecond line');
    },
  };

  async function fail(env: Record<string, string>) {
    const stderr = memoryStream();
    const signal = new AbortController().signal;
    const process = { stdout: broken, stderr, env };
    const code = await runCli(['formats'], { process, cwd: '.', signal });
    return { code, err: stderr.text() };
  }

  it('is one line, with a hint how to see more, and 1', async () => {
    expect(await fail({})).toEqual({
      code: 1,
      err: 'trajmill: unexpected fault: first line (set TRAJMILL_DEBUG=1 to see the stack)\n',
    });
  });

  it('shows its stack where that is asked for', async () => {
    const { code, err } = await fail({ TRAJMILL_DEBUG: '1' });
    expect(code).toBe(1);
    expect(err).toContain('RangeError: first line');
    expect(err).toContain('app.test.ts');
  });
});

describe('colour', () => {
  const colours = (text: string): boolean => text.includes('\u001b[');

  it('is for terminals, and NO_COLOR switches it off', async () => {
    expect(colours((await cli(['formats'], { terminal: true })).out)).toBe(true);
    expect(colours((await cli(['formats'])).out)).toBe(false);
    expect(colours((await cli(['formats'], { terminal: true, env: { NO_COLOR: '1' } })).out)).toBe(false);
    expect(colours((await cli(['formats', '--json'], { terminal: true })).out)).toBe(false);
  });
});

describe('--input', () => {
  it('takes all words up to the next flag, once the pipeline is named', () => {
    expect(spreadInputs(['run', 'p.yaml', '--input', 'a', 'b', '--out', 'o', '--input', 'c'])).toEqual([
      'run',
      'p.yaml',
      '--input',
      'a',
      '--input',
      'b',
      '--out',
      'o',
      '--input',
      'c',
    ]);
  });

  it('takes one word before that, and leaves other commands alone', () => {
    expect(spreadInputs(['plan', '--input', 'a', 'p.yaml'])).toEqual(['plan', '--input', 'a', 'p.yaml']);
    expect(spreadInputs(['inspect', 'a', 'b'])).toEqual(['inspect', 'a', 'b']);
    expect(spreadInputs([])).toEqual([]);
  });
});
