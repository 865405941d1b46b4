import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintSource } from '@secretlint/core';
import { creator as preset } from '@secretlint/secretlint-rule-preset-recommend';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../src/logs/secret-finder.js';
import { mayHoldSecret } from '../../src/logs/secret-rules.js';
import { createSecretMasker } from '../../src/logs/secrets.js';
import {
  contentSpan,
  makeExecution,
  makeSubmission,
  makeTurn,
  structuredCallSpan,
} from '../../src/trajectory/build.js';
import { trajectoryId } from '../../src/trajectory/identity.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { describeWithShared, sharedFile } from '../shared.js';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGIT = '0123456789';

function word(alphabet: string, min: number, max = min): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...alphabet), minLength: min, maxLength: max });
}
const alnum = (min: number, max = min) => word(UPPER + LOWER + DIGIT, min, max);
const base64url = (min: number, max = min) => word(`${UPPER + LOWER + DIGIT}_-`, min, max);

function glue(...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((pieces) => pieces.join(''));
}

const pem = fc
  .array(word(`${UPPER + LOWER + DIGIT}+/`, 64), { minLength: 3, maxLength: 12 })
  .map((lines) => ['MII', ...lines].join('\n').replace('MII\n', 'MII'));

/** Each kind: the secret, the text that carries it, and whether it needs a place of its own on the line. */
interface Sample {
  readonly secret: string;
  readonly text: string;
}
const bare = (secret: fc.Arbitrary<string>): fc.Arbitrary<Sample> =>
  secret.map((value) => ({ secret: value, text: value }));
const inside = (before: string, secret: fc.Arbitrary<string>, after = ''): fc.Arbitrary<Sample> =>
  secret.map((value) => ({ secret: value, text: before + value + after }));

const SAMPLES: Readonly<Record<string, fc.Arbitrary<Sample>>> = {
  'aws-key-id': bare(glue(fc.constantFrom('AKIA', 'ASIA'), word(UPPER + DIGIT, 16))),
  'aws-secret-key': fc
    .tuple(
      fc.constantFrom(
        'AWS_SECRET_ACCESS_KEY=',
        'aws_secret_access_key = ',
        '"SecretAccessKey": "',
        "secretAccessKey: '",
      ),
      word(`${UPPER + LOWER + DIGIT}/+`, 40),
    )
    .map(([before, secret]) => ({ secret, text: before + secret })),
  'huggingface-token': bare(glue('hf_', alnum(34))),
  jwt: bare(glue('eyJ', base64url(20, 60), '.eyJ', base64url(20, 200), '.', base64url(43))),
  'github-token': bare(
    fc.oneof(
      glue(fc.constantFrom('ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'), alnum(36)),
      glue('github_pat_', alnum(82)),
    ),
  ),
  'npm-token': bare(glue('npm_', alnum(36))),
  'slack-token': bare(
    glue(fc.constantFrom('xoxb-', 'xoxp-', 'xapp-', 'xoxr-'), word(DIGIT, 10), '-', alnum(24)),
  ),
  'slack-webhook': bare(glue('https://hooks.slack.com/services/T', alnum(8), '/B', alnum(8), '/', alnum(24))),
  'openai-key': bare(
    fc.oneof(
      glue('sk-', alnum(20), 'T3BlbkFJ', alnum(20)),
      glue(
        fc.constantFrom('sk-proj-', 'sk-svcacct-', 'sk-admin-'),
        base64url(73),
        'xT3BlbkFJ',
        base64url(73),
        'x',
      ),
    ),
  ),
  'anthropic-key': bare(glue('sk-ant-api03-', base64url(93), 'AA')),
  'openrouter-key': bare(glue('sk-or-v1-', word(`${DIGIT}abcdef`, 64))),
  'linear-token': bare(glue('lin_api_', alnum(40))),
  'sendgrid-key': bare(glue('SG.', alnum(22), '.', alnum(43))),
  'shopify-key': bare(
    glue(fc.constantFrom('shpat_', 'shpss_', 'shppa_', 'shpca_'), word(`${DIGIT}abcdef`, 32)),
  ),
  'google-api-key': bare(glue('AIza', base64url(34), 'x')),
  'gitlab-token': bare(glue('glpat-', base64url(20))),
  'private-key': bare(
    glue(
      '-----BEGIN ',
      fc.constantFrom('', 'RSA ', 'EC '),
      'PRIVATE KEY-----\n',
      pem,
      '\n-----END PRIVATE KEY-----',
    ),
  ),
  'url-password': inside('https://deploy:', alnum(12, 30), '@git.internal.net/repo'),
  'database-password': fc
    .tuple(
      fc.constantFrom(
        'postgres://svc:',
        'postgresql://svc:',
        'mysql://svc:',
        'mongodb+srv://svc:',
        'MONGODB://svc:',
      ),
      alnum(12, 30),
    )
    .map(([before, secret]) => ({ secret, text: `${before}${secret}@db.internal.net:5432/main` })),
};

/** Places in which agent logs show secrets. */
const PLACES: Readonly<Record<string, (text: string) => string>> = {
  alone: (text) => text,
  'in a line': (text) => `first line\nvalue ${text} and more\n`,
  'after a colour code': (text) => `\u001b[32m${text}\u001b[0m`,
  'in JSON after an escaped newline': (text) => JSON.stringify({ command: `echo hello\n${text}\nls` }),
  'in JSON inside JSON': (text) => JSON.stringify({ body: JSON.stringify({ text: `a\n${text}`, n: 1 }) }),
};

function trajectory(turns: Turn[], rest: Partial<Trajectory> = {}): Trajectory {
  return {
    trajectory_id: trajectoryId(turns),
    source: {
      path: 'runs/a.json',
      line: null,
      byte_start: 0,
      byte_end: 1,
      sha256: '0',
      format: 'openai-messages',
      adapter_version: '1',
      sidecars: [],
    },
    session_id: null,
    parent_session: null,
    group: null,
    task_id: null,
    task_claims: null,
    scaffold: null,
    scaffold_version: null,
    model: null,
    policy_version: null,
    tools: null,
    turns,
    executions: [],
    submissions: [],
    epochs: [{ turns: turns.map((_, index) => index), reason: null }],
    termination: 'unknown',
    turn_budget: null,
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: false,
    flags: [],
    ...rest,
  };
}

const masker = createSecretMasker();
const KEY_ID = 'AKIAQ7ZZ0PLM4KXVB2TD';
const OTHER_KEY_ID = 'ASIAQ7ZZ0PLM4KXVB2TD';
const HF = `hf_${'aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH'}`;

describe.each(Object.keys(SAMPLES))('a generated %s', (kind) => {
  const sample = SAMPLES[kind] ?? fc.constant({ secret: '', text: '' });
  it.each(Object.entries(PLACES))('is masked %s', (_place, put) => {
    fc.assert(
      fc.property(sample, ({ secret, text }) => {
        const placed = put(text);
        const found = findSecrets(placed);
        expect(found.length).toBeGreaterThan(0);
        expect(mayHoldSecret(placed)).toBe(true);
        const masked = masker.maskText(placed);
        expect(masked.text).not.toContain(secret);
        expect(masked.counts).toEqual({ [kind]: 1 });
        expect(masked.text).toContain(`[masked-${kind}-1]`);
        if (placed.startsWith('{')) expect(() => JSON.parse(masked.text)).not.toThrow();
      }),
      { numRuns: 12 },
    );
  });
});

describe('the prefilter', () => {
  it('passes every text in which the rules find something, however it is mangled', () => {
    const samples = fc.oneof(...Object.values(SAMPLES));
    const noise = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(noise, samples, fc.nat(), fc.boolean()), { minLength: 1, maxLength: 3 }),
        (pieces) => {
          const text = pieces
            .map(
              ([before, { text: piece }, cut, doCut]) =>
                before + (doCut ? piece.slice(cut % piece.length) : piece),
            )
            .join('');
          if (findSecrets(text).length > 0) expect(mayHoldSecret(text)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('passes a text in which one of the signs of secrets stands, each looked for alone, and no other', () => {
    const signs = [
      /:\/\/[^:/\s]{1,256}:[^@\s]{1,256}@/,
      /(?:hf|gh[pousr]|github_pat|npm|lin_api|shp(?:pa|ca|at|ss)|ops)_\w|_authToken/,
      /sk-(?:(?:proj|svcacct|admin|ant|or)-|[A-Za-z0-9]{20}T3)|(?:glpat-|xox[bpaor]-|xapp-)[\w-]|-BEGIN|:x-oauth/,
      /SG\.\w/,
      /hooks\.s/i,
      /AKIA|ASIA|ABIA|ACCA|A3T|AIza|eyJ/,
      /secret_?(?:access_?)?key/i,
    ];
    const families = [
      ['://', '//', 'user', ':', '@', 'a'.repeat(255), 'b'],
      [
        'hf_',
        'GHP_',
        'ghp_',
        'github_pat_',
        'npm_',
        'lin_api_',
        'shpat_',
        'ops_',
        '_authToken',
        '_authtoken',
        '_',
      ],
      [
        'sk-',
        'proj-',
        'or-',
        'abcdefghijABCDEFGHIJ',
        'T3',
        'glpat-',
        'xoxb-',
        'xoxc-',
        'xapp-',
        'BEGIN',
        '-',
      ],
      ['SG', 'sG', 'hook', 'hooks', 'HoOkS', '.', 's', 'S', ':x', 'x', '-', 'oauth'],
      ['AK', 'AS', 'IA', 'IB', 'A3', 'T', 'AI', 'za', 'zA', 'e', 'y', 'J', 'j'],
      ['secret', 'SECRET', '_', 'access', 'aCCess', 'key', 'Key', '\u017fecret', '\u212aey'],
    ];
    const spelled = fc
      .constantFrom(...families)
      .chain((family) => fc.array(fc.constantFrom(...family, 'w', ' '), { maxLength: 9 }));
    fc.assert(
      fc.property(spelled, (pieces) => {
        const text = pieces.join('').padEnd(16);
        expect(mayHoldSecret(text)).toBe(signs.some((sign) => sign.test(text)));
      }),
      { numRuns: 20_000 },
    );
  });

  it('stops ordinary text', () => {
    const ordinary = [
      'The task-specific risk-averse model reached 0.9 on disk-based data; see https://example.org:8080/path',
      'git clone git@github.com:owner/repo.git && pip install hf-transfer',
      'df = pd.read_csv("train.csv")  # npm install, sk_learn, SG filter',
    ];
    for (const text of ordinary) expect(mayHoldSecret(text)).toBe(false);
  });
});

describe('beside lintSource itself', () => {
  it('nothing that the whole preset reports survives masking', async () => {
    for (const [kind, sample] of Object.entries(SAMPLES)) {
      const texts = fc.sample(sample, { numRuns: 3, seed: 7 }).map(({ text }) => `a line\n${text}\nand more`);
      for (const text of texts) {
        const lint = async (content: string) =>
          lintSource({
            source: { filePath: 'log.txt', content, contentType: 'text' },
            options: { config: { rules: [{ id: 'preset', rule: preset }] } },
          });
        const before = await lint(text);
        if (before.messages.length > 0) expect(mayHoldSecret(text), kind).toBe(true);
        const left = (await lint(masker.maskText(text).text)).messages;
        // a placeholder in the place of a password still looks like one
        expect(
          left.filter(({ message }) => !message.includes('[masked-')),
          kind,
        ).toEqual([]);
      }
    }
  });
});

describe('masking of a text', () => {
  it('leaves text without secrets alone', () => {
    const text =
      'commit 3f786850e387550fdab836ed7e6dc881de23001b by user:name, hf_hub_download(repo_id="a/b")';
    expect(masker.maskText(text)).toEqual({ text, counts: {} });
  });

  it('masks the well-known example keys too: a rule with exceptions is a rule that leaks', () => {
    const text = 'AKIAIOSFODNN7EXAMPLE aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    expect(masker.maskText(text).text).toBe(
      '[masked-aws-key-id-1] aws_secret_access_key=[masked-aws-secret-key-1]',
    );
  });

  it('cannot be switched off from inside the log', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const text = `# secretlint-disable\ntoken = ${token}\n`;
    expect(masker.maskText(text).text).not.toContain(token);
  });

  it('keeps the address of a database and takes only its password', () => {
    const text = '{"cmd":"psql postgres://svc:Zx81kQpw7@db.internal.net/main","to":"me@site.org"}';
    expect(masker.maskText(text).text).toBe(
      '{"cmd":"psql postgres://svc:[masked-database-password-1]@db.internal.net/main","to":"me@site.org"}',
    );
  });

  it('takes the token of an oauth address and not the address', () => {
    const text = 'git+https://3f786850e387550fdab836ed7e6dc881de23001b:x-oauth-basic@github.com/o/r';
    expect(masker.maskText(text).text).toBe(
      'git+https://[masked-github-token-1]:x-oauth-basic@github.com/o/r',
    );
  });

  it('masks a private key that the log cut before its end, and not the prose after it', () => {
    const lines = Array.from({ length: 5 }, (_, index) => `${index}abcDEF+/`.repeat(7));
    const text = `-----BEGIN RSA PRIVATE KEY-----\n${lines.join('\n')}\nThen the output stopped here.`;
    expect(masker.maskText(text).text).toBe('[masked-private-key-1]Then the output stopped here.');
  });

  it('gives the same placeholder to a key and to its escaped form', () => {
    const key = `-----BEGIN PRIVATE KEY-----\nMII${'abcDEF0123'.repeat(20)}\n-----END PRIVATE KEY-----`;
    const masked = masker.maskText(`${key}\n${JSON.stringify({ key })}`);
    expect(masked).toEqual({
      text: '[masked-private-key-1]\n{"key":"[masked-private-key-1]"}',
      counts: { 'private-key': 1 },
    });
  });

  it('passes everything through only when told to', () => {
    const off = createSecretMasker({ enabled: false });
    expect(off.maskText(KEY_ID).text).toBe(KEY_ID);
  });
});

describe('masking of a trajectory', () => {
  it('returns the trajectory itself where there is nothing to mask', () => {
    const clean = trajectory([
      makeTurn('user', [contentSpan('prompt', 'environment', 'train a model, please')]),
    ]);
    expect(masker.maskTrajectory(clean).trajectory).toBe(clean);
  });

  it('numbers secrets by first appearance and keeps them apart', () => {
    const turns = [
      makeTurn('user', [contentSpan('prompt', 'environment', `keys ${KEY_ID} and ${OTHER_KEY_ID}`)]),
      makeTurn('assistant', [
        contentSpan('text', 'model', `I use ${OTHER_KEY_ID}.`),
        structuredCallSpan({ id: 'c1', name: 'bash', arguments: `{"cmd": "export A=${KEY_ID}\\n${HF}"}` }),
      ]),
    ];
    const masked = masker.maskTrajectory(trajectory(turns));
    const [first, second] = masked.trajectory.turns;
    expect(first?.spans[0]?.text).toBe('keys [masked-aws-key-id-1] and [masked-aws-key-id-2]');
    expect(second?.spans[0]?.text).toBe('I use [masked-aws-key-id-2].');
    const call = second?.spans[1];
    expect(call?.text).toBe('{"cmd": "export A=[masked-aws-key-id-1]\\n[masked-huggingface-token-1]"}');
    expect(call?.call?.arguments).toBe(call?.text);
    expect(masked.counts).toEqual({ 'aws-key-id': 2, 'huggingface-token': 1 });
    expect(masked.trajectory.flags).toEqual(['secrets_masked']);
    // the identity is that of the log, so that every pass of a run agrees on it
    expect(masked.trajectory.trajectory_id).toBe(trajectoryId(turns));
  });

  it('masks a long secret also where no rule sees it', () => {
    const secret = 'k9Xw/Qe2+Rt5Yu8Io1Pa4Sd7Fg0Hj3Kl6Zx9Cv2B';
    const turns = [
      makeTurn('assistant', [contentSpan('text', 'model', `export AWS_SECRET_ACCESS_KEY=${secret}`)]),
      makeTurn('tool', [contentSpan('observation', 'environment', `${secret}\n`)]),
    ];
    const masked = masker.maskTrajectory(trajectory(turns));
    expect(JSON.stringify(masked.trajectory)).not.toContain(secret);
    expect(masked.trajectory.turns[0]?.spans[0]?.text).toBe(
      'export AWS_SECRET_ACCESS_KEY=[masked-aws-secret-key-1]',
    );
    expect(masked.trajectory.turns[1]?.spans[0]?.text).toBe('[masked-aws-secret-key-1]\n');
  });

  it('reaches every text that may be written, and leaves no secret in any', () => {
    const turns = [
      makeTurn('user', [contentSpan('prompt', 'environment', HF)], {
        name: HF,
        tool_call_id: HF,
        flags: [HF],
      }),
      makeTurn('assistant', [structuredCallSpan({ id: HF, name: HF, arguments: { token: HF } })]),
    ];
    const full = trajectory(turns, {
      session_id: HF,
      parent_session: HF,
      group: HF,
      task_id: HF,
      scaffold: HF,
      scaffold_version: HF,
      model: HF,
      policy_version: HF,
      tools: JSON.stringify([{ name: HF }]),
      executions: [
        makeExecution(
          { execution_id: HF, order: 0, kind: 'experiment', tool: HF, call_turn: 1, status: 'error' },
          { code: `token = "${HF}"`, error_type: HF, parent_execution: HF },
        ),
      ],
      submissions: [
        makeSubmission(
          { execution_id: HF, order: 0, gradable: false, score: null, scale: 'test' },
          { grader: HF },
        ),
      ],
      epochs: [{ turns: [0, 1], reason: HF }],
    });
    const masked = masker.maskTrajectory(full);
    expect(JSON.stringify(masked.trajectory)).not.toContain(HF);
    expect(masked.trajectory.submissions[0]?.execution_id).toBe(
      masked.trajectory.executions[0]?.execution_id,
    );
    expect(masked.counts).toEqual({ 'huggingface-token': 1 });
  });

  it('drops recorded token ids, which would still spell the secret', () => {
    const policy = { prompt_ids: [1, 2], response_ids: [3], logprobs: [-0.5], weight_version: '7' };
    const turns = [
      makeTurn('user', [contentSpan('prompt', 'environment', HF)]),
      makeTurn('assistant', [contentSpan('text', 'model', 'done')], { policy }),
    ];
    const masked = masker.maskTrajectory(trajectory(turns));
    expect(masked.trajectory.turns.every((turn) => turn.policy === null)).toBe(true);
    expect(masked.trajectory.flags).toEqual(['secrets_masked', 'policy_dropped_secret']);

    const clean = trajectory([makeTurn('assistant', [contentSpan('text', 'model', 'done')], { policy })]);
    expect(masker.maskTrajectory(clean).trajectory.turns[0]?.policy).toEqual(policy);
  });
});

describeWithShared('over the real logs', () => {
  it('finds nothing in their ordinary text, and hides nothing by the prefilter', () => {
    const folder = sharedFile('logs');
    const found: string[] = [];
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.eval') || entry.name.endsWith('.source.txt')) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      // whole files, so that JSON escapes are met as they stand
      const secrets = findSecrets(text);
      if (secrets.length > 0) expect(mayHoldSecret(text)).toBe(true);
      found.push(...secrets.map(({ kind, start }) => `${entry.name}:${start} ${kind}`));
    }
    expect(found).toEqual([]);
  });
});

it('a secret that stands in no turn, but in the tools or the task of a run, is masked there', () => {
  const turns = [makeTurn('user', [contentSpan('prompt', 'environment', 'go')])];
  const tools = JSON.stringify([{ name: 'run', description: `with ${HF}` }]);
  const { trajectory: masked, counts } = masker.maskTrajectory(
    trajectory(turns, { tools, scaffold: `agent ${KEY_ID}` }),
  );
  expect(JSON.stringify(masked)).not.toContain(HF);
  expect(masked.tools).toContain('with [masked-huggingface-token-1]');
  expect(masked.scaffold).toBe('agent [masked-aws-key-id-1]');
  expect(Object.keys(counts).sort()).toEqual(['aws-key-id', 'huggingface-token']);
});
