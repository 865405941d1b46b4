import { describe, expect, it } from 'vitest';
import { codexTextLog } from '../../src/formats/codex-text-log.js';
import { describeWithShared } from '../shared.js';
import { readDocument, readOne, realLogs, rolesOf, spansOf } from './adapter-context.js';
import { realText, type Untyped } from './model-texts.js';
import { outline } from './session-logs.js';

const FOLDER = 'codex_cli_text_log';

describeWithShared('codex-text-log: real logs', () => {
  it.each(realLogs(FOLDER))('%s: every command, patch and message is there', (name) => {
    const log = realText(FOLDER, name);
    const run = readOne(codexTextLog, log) as Untyped;
    const commands = [...log.matchAll(/^\[2\d{3}-[^\]]*\] exec (.*) in \/.*$/gm)].map((match) => match[1]);
    const patches = [...log.matchAll(/^\[2\d{3}-[^\]]*\] apply_patch auto_approved=/gm)];
    const calls = run.turns.flatMap((turn: Untyped) =>
      turn.spans.flatMap((span: Untyped) => span.call ?? []),
    );
    expect(
      calls
        .filter((call: Untyped) => call.name === 'shell')
        .map((call: Untyped) => JSON.parse(call.arguments).command),
    ).toEqual(commands);
    const shown = calls.filter((call: Untyped) => call.name === 'apply_patch');
    expect(shown.length).toBe(patches.length);
    for (const call of shown) expect(log).toContain(JSON.parse(call.arguments).patch);
  });

  it.each(realLogs(FOLDER))('%s: line ends of Windows change no turn', (name) => {
    const log = realText(FOLDER, name);
    expect(log).not.toContain('\r\n');
    const windows = readOne(codexTextLog, log.replaceAll('\n', '\r\n'));
    expect(windows.turns).toEqual(readOne(codexTextLog, log).turns);
  });

  it('counted by hand', () => {
    const run = readOne(codexTextLog, realText(FOLDER, 'mlrbench_scope_codex_log.log'));
    expect(rolesOf(run.turns)).toEqual({ user: 1, assistant: 24, tool: 23 });
    expect(spansOf(run.turns, 'assistant')).toEqual({
      'model tool_call': 23,
      'environment reasoning': 5,
      'model text': 1,
    });
    expect(run).toMatchObject({
      model: 'o4-mini',
      scaffold: 'codex',
      scaffold_version: '0.5.0',
      termination: 'submitted',
    });
    const failed = run.executions.filter(({ status }) => status === 'error');
    expect(failed.map(({ exit_code }) => exit_code)).toEqual([127, 1, 1, 1, 1]);
    expect(run.executions.find(({ seconds }) => seconds === 39.49)?.exit_code).toBe(1);
    expect(run.turns[1]?.timestamp).toBe('2025-07-30T15:27:57');
  });
});

const HEAD = '[2025-07-30T15:27:53] OpenAI Codex v0.5.0 (research preview)\n--------\nmodel: m\n--------\n';
const at = (text: string) => `[2025-07-30T15:27:54] ${text}\n`;

describe('codex-text-log', () => {
  it('finds the end of a command of many lines, whatever its output looks like', () => {
    const command = 'bash -lc "cat <<EOF\n[2025-07-30T15:27:54] not a mark\nexited 3 in 5ms:\nEOF"';
    const log = `${HEAD}${at('User instructions:\ntask')}${at(`exec ${command} in /x`)}${at(`${command} exited 2 in 1.5s:`)}out\n[2025-07-30T15:27:54] a line of the output\nend\n${at('tokens used: 9')}${at('codex\ndone')}`;
    const run = readOne(codexTextLog, log);
    expect(run.turns.map((turn) => turn.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(run.turns[1]?.spans[0]?.call?.arguments).toBe(JSON.stringify({ command }));
    expect(run.turns[2]?.spans[0]?.text).toBe('out\n[2025-07-30T15:27:54] a line of the output\nend');
    expect(run.executions[0]).toMatchObject({ status: 'error', exit_code: 2, seconds: 1.5 });
    expect(run.turns[3]?.spans[0]?.text).toBe('done');
  });

  it('logs that were written one after another are runs of their own', () => {
    const log = (words: string) => `${HEAD}${at('User instructions:\ntask')}${at(`codex\n${words}`)}`;
    const runs = readDocument(codexTextLog, `${log('one')}${log('two')}`);
    expect(runs.map(({ turns }) => turns.map(({ spans }) => spans[0]?.text))).toEqual([
      ['task', 'one'],
      ['task', 'two'],
    ]);
    expect(runs.map(({ model }) => model)).toEqual([readOne(codexTextLog, log('x')).model, runs[0]?.model]);
  });

  it('another log that a command printed is its output, and no run', () => {
    const old = `${HEAD}${at('User instructions:\nold task')}${at('codex\nold words')}`.trimEnd();
    const later = (text: string) => `[2025-07-30T16:00:00] ${text}\n`;
    const calls = `${later('exec cat old.log in /x')}${later('cat old.log succeeded in 5ms:')}${old}\n`;
    const log = `${HEAD}${at('User instructions:\ntask')}${calls}${later('codex\ndone')}`;
    const run = readOne(codexTextLog, log);
    expect(run.turns.map(({ spans }) => spans[0]?.text)).toEqual([
      'task',
      JSON.stringify({ command: 'cat old.log' }),
      old,
      'done',
    ]);
    // Codex shows no more than 20 lines of an output: what stands further down is a log of its own.
    const long = log.replace(old, `${'x\n'.repeat(20)}${old}`);
    expect(readDocument(codexTextLog, long)).toHaveLength(2);
  });

  it('a log that stops in a command is cut', () => {
    const run = readOne(codexTextLog, `${HEAD}${at('User instructions:\ntask')}${at('exec ls in /x')}`);
    expect(run.termination).toBe('cut');
  });
});

describe('codex-text-log without time stamps', () => {
  const head = (version: string) =>
    `OpenAI Codex v${version}\n--------\nworkdir: /app\nmodel: m\nsession id: s\n--------\nuser\nFix it.\n`;
  const calls = (log: string) =>
    readOne(codexTextLog, log).turns.flatMap(({ spans }) =>
      spans.flatMap(({ call }) => (call === null ? [] : [JSON.parse(call.arguments)])),
    );
  const log = `Done.\n${head('0.72.0 (research preview)')}
mcp startup: no servers

thinking
**Look**
exec
bash -lc 'for f in ./src/*; do echo $f; done' in /app succeeded in 22ms:
codex
thinking

codex
I patch it.
exec
bash -lc "cat <<'EOF' > x
codex
EOF" in /app exited 2 in 1.5s:


file update
A /app/x.py
codex
apply_patch(auto_approved=true) exited 0 in 8ms:
Success. Updated the following files:
A /app/x.py
file update:
diff --git a/x.py b/x.py
+codex

codex
Done.
tokens used
64,380
Done.
`;

  it('is recognised under what a shell printed before it, and every voice is itself', () => {
    const sniff = {
      path: 'codex.txt',
      json: undefined,
      lines: [],
      siblings: { names: [], readText: () => null },
    };
    expect(codexTextLog.detect({ ...sniff, head: log })?.confidence).toBe('certain');
    expect(codexTextLog.detect({ ...sniff, head: 'I ran OpenAI Codex v0.72.0\n--------\n' })).toBeNull();
    const run = readOne(codexTextLog, log);
    expect(outline(run.turns)).toEqual([
      'user: prompt Fix it.',
      `assistant: reasoning **Look** | TOOL_CALL {"command":"bash -lc 'for f in ./src/*; do echo $f; done'"}`,
      'tool: observation codex\nthinking',
      `assistant: TEXT I patch it. | TOOL_CALL {"command":"bash -lc \\"cat <<'EOF' > x\\ncodex\\nEOF\\""}`,
      'tool: observation ',
      'assistant: TOOL_CALL {"patch":"A /app/x.py\\ncodex"}',
      'tool: observation Success. Updated the following files:\nA /app/x.py',
      'assistant: TEXT Done.',
    ]);
    expect(run).toMatchObject({
      session_id: 's',
      model: 'm',
      scaffold_version: '0.72.0',
      termination: 'submitted',
    });
    expect(run.executions.map(({ exit_code, seconds }) => [exit_code, seconds])).toEqual([
      [0, 0.022],
      [2, 1.5],
      [0, 0.008],
    ]);
  });

  it('results that come after their calls answer them in order; a printed diff is no text of the model', () => {
    const run = readOne(
      codexTextLog,
      `${head('0.150.1')}hook: SessionStart
codex
I look.
exec
bash -lc pwd in /app
exec
bash -lc ls in /app
hook: PreToolUse
 succeeded in 12ms:
/app

 exited 1 in 3ms:
apply patch
patch: completed
/app/a.md
diff --git a/a.md b/a.md
+codex
codex
Bye.
ERROR: flagged
tokens used
14
`,
    );
    expect(outline(run.turns)).toEqual([
      'user: prompt Fix it.',
      'assistant: TEXT I look. | TOOL_CALL {"command":"bash -lc pwd"} | TOOL_CALL {"command":"bash -lc ls"}',
      'tool: observation /app',
      'tool: observation ',
      'assistant: tool_call {"patch":"/app/a.md\\ndiff --git a/a.md b/a.md\\n+codex"}',
      'tool: observation completed',
      'assistant: TEXT Bye.',
    ]);
    expect(run.termination).toBe('error');
    expect(run.executions.map(({ exit_code, feedback_turn }) => [exit_code, feedback_turn])).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it('calls of other tools are answered by the lines that name them', () => {
    const run = readOne(
      codexTextLog,
      `${head('0.60.0')}codex
I ask.
tool docs.search({"q":"x"})
docs.search({"q":"x"}) failed in 20ms:
{"error":"down"}

codex
Bye.
tokens used
1
`,
    );
    expect(outline(run.turns)).toEqual([
      'user: prompt Fix it.',
      'assistant: TEXT I ask. | TOOL_CALL {"q":"x"}',
      'tool: observation {"error":"down"}',
      'assistant: TEXT Bye.',
    ]);
    expect(run.executions).toMatchObject([{ tool: 'docs.search', status: 'error', seconds: 0.02 }]);
  });

  it('several runs in one file are read apart, and the folder behind a command is the last one', () => {
    const runs = readDocument(codexTextLog, `${log}${head('0.72.0')}codex\nAgain.\ntokens used\n1\n`);
    expect(runs.map(({ turns }) => turns.length)).toEqual([8, 2]);
    const stamped = `${HEAD}${at("exec bash -lc 'for f in ./a; do :; done' in /app")}${at("bash -lc 'for f in ./a; do :; done' succeeded in 1ms:\nx")}`;
    expect(calls(stamped)).toEqual([{ command: "bash -lc 'for f in ./a; do :; done'" }]);
  });
});
