/** Sends a state document. */

import type { Schemas } from '../api.generated.ts';
import { ApiError, prefix } from '../api.ts';
import { MAX_WAIT_MS, silenceText } from '../connection/answer-in-time.ts';
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

type ImportLine = ImportProgress | { readonly result: object } | { readonly error: unknown };

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

function send(
  { file, isKept, isDropped, reason }: WantedImport,
  isDryRun: boolean,
  onProgress: (progress: ImportProgress) => void,
): Promise<object> {
  const body = new FormData();
  body.append('file', file);
  const mode = { keep: `${isKept}`, drop: `${isDropped}`, ...(isDryRun && { dryRun: 'true' }) };
  const search = new URLSearchParams({ ...mode, ...because(reason) });
  return readLines({ url: `${prefix}/api/admin/state/import?${search}`, body, onProgress });
}

const AGAIN = 'The import has stopped. Import the document again to complete it.';

interface UploadRequest {
  readonly url: string;
  readonly body: FormData;
  readonly onProgress: (progress: ImportProgress) => void;
}

/**
 * The upload and the import take their time, but never 15 seconds in which nothing is sent or received. `fetch` does
 * not tell how far an upload is.
 */
function readLines({ url, body, onProgress }: UploadRequest): Promise<object> {
  const request = new XMLHttpRequest();
  const lines = linesOf(request);
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>;
    const end = (isLate: boolean) => reject(new Error(silenceText(isLate, AGAIN)));
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        request.abort();
        end(true);
      }, MAX_WAIT_MS);
    };
    const take = (line: ImportLine) => {
      if ('result' in line) resolve(line.result);
      else if ('error' in line) reject(new ApiError(request.status, line.error));
      else onProgress(line);
    };
    const read = () => {
      heard();
      lines().forEach(take);
    };
    request.upload.addEventListener('progress', heard);
    request.addEventListener('progress', read);
    request.addEventListener('load', () => {
      read();
      // Without effect if a line had the outcome.
      reject(request.status < 300 ? new Error(`The connection broke. ${AGAIN}`) : refusalIn(request));
    });
    request.addEventListener('error', () => end(false));
    request.addEventListener('loadend', () => clearTimeout(timer));
    request.open('POST', url);
    request.setRequestHeader('Accept', LINES_TYPE);
    request.send(body);
    heard();
  });
}

/** Returns the lines that have become complete since the last call; a refusal has none. */
function linesOf(request: XMLHttpRequest): () => readonly ImportLine[] {
  let read = 0;
  return () => {
    if (request.status >= 300) return [];
    const { responseText: text } = request;
    const some = text.slice(read, text.lastIndexOf('\n') + 1).split('\n');
    read = Math.max(read, text.lastIndexOf('\n') + 1);
    return some.filter((line) => line !== '').map((line) => JSON.parse(line) as ImportLine);
  };
}

function refusalIn({ status, responseText }: XMLHttpRequest): ApiError {
  try {
    return new ApiError(status, JSON.parse(responseText));
  } catch {
    return new ApiError(status);
  }
}
