/** What all calls of servers have in common. */

/** Larger than an export of 50,000 flags. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** Reads the whole body. `tooLong` makes the error for one that is longer than the limit. */
export async function textOfAnswer({ body }: Response, tooLong: (maxBytes: number) => Error): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw tooLong(MAX_ANSWER_BYTES);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Why `fetch` has failed. */
export function reasonOfFetch(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || String(Reflect.get(cause, 'code') ?? cause.name) : String(cause);
}

/** Undefined for what is no address of a server, or has a user or a query. */
export function serverUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' ? url : undefined;
}
