import { describe, expect, it } from 'vitest';
import { aiderMarkdown } from '../../src/formats/aider-markdown.js';
import { turnContent } from '../../src/trajectory/build.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { describeWithShared } from '../shared.js';
import { readDocument, readOne, realLogs, rolesOf, spansOf } from './adapter-context.js';
import { realText } from './model-texts.js';

const FOLDER = 'aider_chat_md';

describeWithShared('aider-markdown: real logs', () => {
  it.each(realLogs(FOLDER))('%s: every line of the chat that has no mark is in a reply', (name) => {
    const run = readOne(aiderMarkdown, realText(FOLDER, name));
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    const said = new Set(replies.flatMap((turn) => turnContent(turn).split('\n')));
    const chat = realText(FOLDER, name).split('<div class="chat-transcript" markdown="1">').slice(1);
    const lines = chat.flatMap((part) => (part.split('</div>')[0] ?? '').split('\n'));
    const unmarked = lines.filter((line) => line.trim() !== '' && !/^(?:#### |>(?!>))/.test(line));
    expect(unmarked.filter((line) => !said.has(line))).toEqual([]);
  });

  it('counted by hand', () => {
    const census = readOne(aiderMarkdown, realText(FOLDER, 'census.md'));
    expect(rolesOf(census.turns)).toEqual({ user: 11, assistant: 10 });
    expect(spansOf(census.turns, 'user')).toEqual({ 'environment prompt': 9, 'environment observation': 2 });
    expect(
      census.turns.filter((turn) => turn.flags.includes('command')).map((turn) => turn.spans[0]?.text),
    ).toEqual(['/run python3 new_file/getdata.py']);
    const flask = readOne(aiderMarkdown, realText(FOLDER, 'hello-world-flask.md'));
    expect(rolesOf(flask.turns)).toEqual({ user: 4, assistant: 4 });
    for (const [run, edits] of [
      [census, 8],
      [flask, 4],
    ] as const) {
      expect(spansOf(run.turns, 'assistant')['model tool_call']).toBe(edits);
      expect(run.termination).toBe('submitted');
      expect(run.flags).toContain('console_left_out');
    }
  });

  it('a long history under a header, with replies that aider sent back', () => {
    const run = readOne(aiderMarkdown, realText('ai_scientist_v1', 'rl_lr_adaptation_aider.txt'));
    expect(run.session_id).toBe('2024-07-25 21:41:45');
    expect(spansOf(run.turns, 'user')['environment prompt']).toBe(42);
    const spans = spansOf(run.turns, 'assistant');
    expect((spans['model tool_call'] ?? 0) + (spans['model malformed_call'] ?? 0)).toBe(75);
  });
});

describeWithShared('aider-markdown: line ends of Windows', () => {
  it('change no turn of a real chat', () => {
    const text = realText('ai_scientist_v1', 'rl_lr_adaptation_aider.txt');
    expect(text).not.toContain('\r');
    const plain = readOne(aiderMarkdown, text);
    expect(readOne(aiderMarkdown, text.replaceAll('\n', '\r\n')).turns).toEqual(plain.turns);
    // A line end of a reply alone is what the model wrote.
    const mixed = readOne(aiderMarkdown, `${HEADER}#### go  \n\none\r\ntwo\n`);
    expect(mixed.turns.map(turnContent)).toEqual(['go', 'one\r\ntwo']);
  });
});

const HEADER = '\n# aider chat started at 2025-01-01 10:00:00\n\n';

describe('aider-markdown', () => {
  it('parts sessions, and leaves fences and edits to the reply', () => {
    const reply = [
      'Look:',
      '',
      '```markdown',
      '#### not a human',
      '> not the console',
      '```',
      '',
      'a.md',
      '<<<<<<< SEARCH',
      '#### old  ',
      '=======',
      '> new',
      '>>>>>>> REPLACE',
      '',
      '#### A heading',
    ].join('\n');
    const chat = `${HEADER}> /usr/bin/aider  \n\n#### first line  \n#### second line  \n\n${reply}\n\n> Applied edit to a.md  \n`;
    const runs = readDocument(aiderMarkdown, `${chat}${HEADER}#### again  \n\nsure\n`);
    expect(runs.map((run) => run.turns.map((turn) => turn.spans.map(({ text }) => text).join('')))).toEqual([
      ['first line\nsecond line', reply],
      ['again', 'sure'],
    ]);
    expect(runs[0]?.turns[1]?.spans.map(({ kind }) => kind)).toEqual(['text', 'tool_call', 'text']);
    expect(runs[0]?.flags).toContain('ambiguous_lines');
    expect(runs[1]?.flags).not.toContain('ambiguous_lines');
  });

  it('a fence or an edit that is never closed ends at the next input', () => {
    const run = readOne(
      aiderMarkdown,
      `${HEADER}#### one  \n\n\`\`\`\n<<<<<<< SEARCH\nx\n\n#### two  \n\ndone\n`,
    );
    expect(run.turns.map((turn) => turn.spans.map(({ text }) => text).join(''))).toEqual([
      'one',
      '```\n<<<<<<< SEARCH\nx',
      'two',
      'done',
    ]);
    expect(run.turns[1]?.spans.at(-1)?.kind).toBe('malformed_call');
  });

  it('thinking that the API sent beside the reply is reasoning, and holds no edits', () => {
    const tag = `thinking-content-${'0'.repeat(31)}a`;
    const edit = 'a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE';
    const run = readOne(
      aiderMarkdown,
      `${HEADER}#### one  \n\n<${tag}>\n\nTry\n${edit}\n\n</${tag}>\n\nSure\n${edit}\n\n#### two  \n\n<${tag}>\nstopped\n`,
    );
    expect(run.turns[1]?.spans.map(({ kind, inline }) => `${kind} ${inline}`)).toEqual([
      'reasoning false',
      'text true',
      'tool_call true',
    ]);
    expect(run.turns[1]?.spans[0]?.text).toBe(`Try\n${edit}`);
    expect(turnContent(run.turns[1] as Turn)).toBe(`Sure\n${edit}`);
    expect(run.turns[3]?.spans).toMatchObject([{ kind: 'reasoning', text: 'stopped' }]);
  });

  it('an input without a reply leaves the run cut', () => {
    expect(readOne(aiderMarkdown, `${HEADER}#### one  \n\nok\n\n#### two  \n`).termination).toBe('cut');
  });
});
