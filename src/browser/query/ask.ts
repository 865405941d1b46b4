import type { ResultPage } from './data.js';

/** A question as the server takes it: SQL, or the name of a question, with the values of its parameters. */
export interface Asked {
  readonly sql?: string;
  readonly question?: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export type DownloadFormat = 'csv' | 'json' | 'parquet';

async function post(
  asked: Asked & { readonly format?: DownloadFormat },
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch('/api/query', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(asked),
    signal,
  });
  if (response.ok) return response;
  throw new Error(await faultOf(response));
}

async function faultOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String((JSON.parse(text) as { error?: unknown }).error ?? text);
  } catch {
    return text.trim();
  }
}

/** The first rows of the answer. Throws with the server's line. */
export async function askPage(asked: Asked, signal: AbortSignal): Promise<ResultPage> {
  return (await (await post(asked, signal)).json()) as ResultPage;
}

/** Saves the whole answer as a file of the browser. Throws with the server's line. */
export async function download(asked: Asked, format: DownloadFormat, signal: AbortSignal): Promise<void> {
  const blob = await (await post({ ...asked, format }, signal)).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${asked.question ?? 'query'}.${format}`;
  link.click();
  // the browser has its own hold on it by then
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
