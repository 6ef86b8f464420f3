/** Sends a state document. */

import type { Schemas } from '../api.generated.ts';
import { ApiError, prefix } from '../api.ts';
import { because } from '../write/bypass.ts';

export interface WantedImport {
  readonly file: File;
  /** Whether existing objects stay as they are. */
  readonly isKept: boolean;
  /** Whether objects are deleted that the document does not have. */
  readonly isDropped: boolean;
  /** Why the document is imported. */
  readonly reason?: string | undefined;
}

export interface ImportProgress {
  readonly phase: 'checking' | 'writing';
  readonly done: number;
  readonly writes: number;
}

type Line = ImportProgress | { readonly result: object } | { readonly error: unknown };

const LINES_TYPE = 'application/x-ndjson';

/** Returns the plan of a dry run. */
export async function planImport(
  wanted: WantedImport,
  onProgress: (progress: ImportProgress) => void,
): Promise<Schemas['StatePlan']> {
  return (await send(wanted, true, onProgress)) as Schemas['StatePlan'];
}

export async function runImport(wanted: WantedImport, onProgress: (progress: ImportProgress) => void): Promise<void> {
  await send(wanted, false, onProgress);
}

async function send(
  { file, isKept, isDropped, reason }: WantedImport,
  isDryRun: boolean,
  onProgress: (progress: ImportProgress) => void,
): Promise<object> {
  const body = new FormData();
  body.append('file', file);
  const mode = { keep: `${isKept}`, drop: `${isDropped}`, ...(isDryRun && { dryRun: 'true' }) };
  const search = new URLSearchParams({ ...mode, ...because(reason) });
  const silence = new AbortController();
  const response = await untilSilent(silence, MAX_UPLOAD_MS, () =>
    fetch(`${prefix}/api/admin/state/import?${search}`, {
      ...{ method: 'POST', headers: { Accept: LINES_TYPE }, body },
      signal: silence.signal,
    }),
  );
  if (!response.ok) {
    const answer: unknown = await response.json().catch(() => undefined);
    throw new ApiError(response.status, answer);
  }
  const lines = linesOf(response);
  for (;;) {
    const { value: line, done } = await untilSilent(silence, MAX_SILENCE_MS, () => lines.next());
    if (done) break;
    if ('result' in line) return line.result;
    if ('error' in line) throw new ApiError(response.status, line.error);
    onProgress(line);
  }
  throw new Error('The connection broke, and the import has stopped. Import the document again to complete it.');
}

/** An upload may take long; then Vexil reports its progress all the time. */
const MAX_UPLOAD_MS = 300_000;
const MAX_SILENCE_MS = 60_000;

/** Aborts what takes longer. Throws an error with a sentence for people. */
async function untilSilent<T>(silence: AbortController, ms: number, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => silence.abort(), ms);
  try {
    return await work();
  } catch (error) {
    if (!silence.signal.aborted) throw error;
    const message = `Vexil has not answered for ${ms / 1000} seconds, and the import has stopped. Import the document again to complete it.`;
    throw new Error(message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<Line, undefined> {
  if (!body) return;
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = `${rest}${part.value}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Line;
  }
}
