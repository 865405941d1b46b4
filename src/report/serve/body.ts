import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

/** Bytes of a request. */
export const BODY_LIMIT = 256 * 1024;

/** What is wrong with a request, with the status that says so. */
export class RequestFault extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'RequestFault';
    this.status = status;
  }
}

export const DOWNLOAD_FORMATS = ['csv', 'json', 'parquet'] as const;

const questionSchema = z.strictObject({
  sql: z.string().max(100_000).optional(),
  /** name of a question, in place of SQL */
  question: z.string().max(200).optional(),
  parameters: z.record(z.string(), z.string().max(10_000)).default({}),
  format: z.enum(['page', ...DOWNLOAD_FORMATS]).default('page'),
});
export type AskedQuestion = z.infer<typeof questionSchema>;

/** The question in the body of a POST. Throws RequestFault. */
export async function readQuestion(request: IncomingMessage): Promise<AskedQuestion> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new RequestFault(415, 'expected application/json');
  const parsed = questionSchema.safeParse(parseJson(await readBody(request)));
  if (!parsed.success) throw new RequestFault(400, 'expected sql or question, parameters and format');
  return parsed.data;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw new RequestFault(413, `a request may have ${BODY_LIMIT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestFault(400, 'not JSON');
  }
}
