import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { TrajmillError } from '../../errors.js';

const lineSchema = z.strictObject({
  sequence_id: z.string(),
  log_probs: z.array(z.number().nullable()),
});

/** Log-probabilities of the ids of a sequence, token by token; NaN where there is none. */
export type OldLogProbs = ReadonlyMap<string, Float64Array>;

/**
 * Reads what a trainer computed under the weights that it starts a step with: JSON lines of `sequence_id` and `log_probs`,
 * entry i of token i, null where there is none. Throws TrajmillError: E_USAGE for a line that is none of these or a
 * sequence that stands twice, E_IO where the file cannot be read.
 */
export async function readOldLogProbs(path: string): Promise<OldLogProbs> {
  const found = new Map<string, Float64Array>();
  const lines = createInterface({
    input: createReadStream(path, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let number = 0;
  try {
    for await (const line of lines) {
      number++;
      if (line.trim() === '') continue;
      const { sequence_id: id, log_probs: values } = parseLine(line, `${path}:${number}`);
      if (found.has(id))
        throw new TrajmillError('E_USAGE', `${id} stands twice`, { place: `${path}:${number}` });
      found.set(
        id,
        Float64Array.from(values, (value) => value ?? Number.NaN),
      );
    }
  } catch (cause) {
    if (cause instanceof TrajmillError) throw cause;
    throw new TrajmillError('E_IO', 'cannot be read', { place: path, cause });
  }
  return found;
}

function parseLine(line: string, place: string): z.infer<typeof lineSchema> {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new TrajmillError(
      'E_USAGE',
      'expected an object with sequence_id and log_probs, a list of numbers and nulls',
      { place, cause },
    );
  }
}
