/**
 * The rules for secrets that secretlint's recommended preset does not cover, or misses in the text of agent
 * logs (JSON inside strings, cut output), and the names under which all findings are counted.
 */
export interface SecretRule {
  readonly kind: string;
  /** global; group 1, where there is one, is the secret, else the whole match */
  readonly pattern: RegExp;
}

export const OWN_SECRET_RULES: readonly SecretRule[] = [
  {
    kind: 'aws-key-id',
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  {
    kind: 'aws-secret-key',
    pattern:
      /(?:secret_?access|aws_?secret)_?key[\\"']*\s*(?::|=>|=|,)\s*[\\"']*([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
  },
  { kind: 'huggingface-token', pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,64}(?![A-Za-z0-9_])/g },
  {
    kind: 'jwt',
    pattern: /(?<![A-Za-z0-9_-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{6,}(?:\.[\w-]{6,}){0,2}/g,
  },
  { kind: 'openai-key', pattern: /(?<![A-Za-z0-9])sk-(?:proj|svcacct|admin)-[\w-]{40,}/g },
  { kind: 'openrouter-key', pattern: /(?<![A-Za-z0-9])sk-or-v1-[0-9a-f]{64}/g },
  { kind: 'anthropic-key', pattern: /(?<![A-Za-z0-9])sk-ant-[a-z]{2,8}\d{2}-[\w-]{60,}/g },
  { kind: 'google-api-key', pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/g },
  { kind: 'gitlab-token', pattern: /(?<![A-Za-z0-9])glpat-[\w-]{20,64}/g },
  { kind: 'npm-token', pattern: /_authToken=[\\"']*([\w.+/=-]{16,})/g },
  {
    // a key block that the log cut before its end
    kind: 'private-key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----\s*(?:[A-Za-z0-9+/=]{40,}(?:\s+|(?![A-Za-z0-9+/=])))+(?:[A-Za-z0-9+/=]*\s*-----END (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
];

/** How a message of secretlint is counted, and which part of its range is the secret. */
export interface LintKind {
  readonly kind: string;
  /** finds the secret inside the reported text (group 1); absent where the report is the secret itself */
  readonly part?: RegExp;
  /** datum of the message that holds the secret, for rules whose reported range starts before it */
  readonly datum?: string;
  /** a value that stands in the place of the secret and is none */
  readonly not?: string;
}

/**
 * Of a URI with credentials only the password goes, so that host and database stay readable; it ends at a
 * quote, so that a URI inside JSON cannot take the JSON along.
 */
const URI_PASSWORD = /:\/\/(?:[^\s"'`\\:/@]|\\.)*:((?:[^\s"'`\\@/]|\\.)+)/;

export const LINT_KINDS: Readonly<Record<string, LintKind>> = {
  AWSSecretAccessKey: { kind: 'aws-secret-key', datum: 'KEY' },
  PackageJSON_xOauthToken: { kind: 'github-token', datum: 'TOKEN', part: /([^\s"'`\\/]+)$/ },
  NPM_ACCESS_TOKEN: { kind: 'npm-token' },
  SLACK_TOKEN: { kind: 'slack-token' },
  IncomingWebhook: { kind: 'slack-webhook' },
  BasicAuth: { kind: 'url-password', part: URI_PASSWORD, not: 'x-oauth-basic' },
  OPENAI_TOKEN: { kind: 'openai-key' },
  ANTHROPIC_API_KEY: { kind: 'anthropic-key' },
  LINEAR_API_TOKEN: { kind: 'linear-token' },
  PrivateKey: { kind: 'private-key' },
  SENDGRID_KEY: { kind: 'sendgrid-key' },
  SHOPIFY_KEY: { kind: 'shopify-key' },
  GITHUB_TOKEN: { kind: 'github-token' },
  OPS_TOKEN: { kind: '1password-token' },
  MongoDBConnection: { kind: 'database-password', part: URI_PASSWORD },
  MySQLConnection: { kind: 'database-password', part: URI_PASSWORD },
  PostgreSQLConnection: { kind: 'database-password', part: URI_PASSWORD },
};

/**
 * What every rule above, ours or secretlint's, needs in a text, each told from its rarest sign: what stands before that
 * is looked at only where it is met. Joined to one pattern they take one pass over a text, at about 850 MB/s on one core
 * where it is clean.
 */
const ANCHORS: readonly RegExp[] = [
  // user and password of an address
  /@(?<=:\/\/[^:/\s]{1,256}:[^@\s]{1,256}@)/,
  /_(?:(?<=(?:hf|gh[pousr]|github_pat|npm|lin_api|shp(?:pa|ca|at|ss)|ops)_)\w|authToken)/,
  /-(?:(?<=sk-)(?:(?:proj|svcacct|admin|ant|or)-|[A-Za-z0-9]{20}T3)|(?<=glpat-|xox[bpaor]-|xapp-)[\w-]|BEGIN|(?<=:x-)oauth)/,
  /G(?<=SG)\.\w/,
  /[kK](?:(?<=[hH][oO][oO][kK])[sS]\.[sS]|(?<=[sS][eE][cC][rR][eE][tT]_?(?:[aA][cC][cC][eE][sS][sS]_?)?[kK])[eE][yY])/,
  /A(?:KIA|SIA|BIA|CCA|3T|Iza)/,
  /J(?<=eyJ)/,
];

const ANY_ANCHOR = new RegExp(ANCHORS.map(({ source }) => source).join('|'));

/** The shortest text that any rule reports is a database address with a password of four letters. */
const MIN_LENGTH = 16;

/** False only for texts in which no rule can find anything. */
export function mayHoldSecret(text: string): boolean {
  return text.length >= MIN_LENGTH && ANY_ANCHOR.test(text);
}
