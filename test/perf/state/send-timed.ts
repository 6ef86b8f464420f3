/** One long request, and how long other requests wait meanwhile. */
import { request } from 'node:http';

export interface Sent {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  readonly seconds: number;
  /** The longest duration of a request that needs only the thread. */
  readonly maxWaitMs: number;
}

interface Wanted {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** The content type; JSON by default. */
  readonly contentType?: string;
}

const ASK_EVERY_MS = 50;

/** Sends the request without `fetch`, which would give up after five minutes. */
export async function sendTimed(
  port: number,
  { method, path, body, contentType = 'application/json' }: Wanted,
): Promise<Sent> {
  const others = askOthers(port);
  const startedAt = performance.now();
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': contentType };
    const sent = request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { status, text, bytes: Buffer.byteLength(text), seconds, maxWaitMs: await others.stop() };
}

/** Sends requests that need no work, again and again. */
function askOthers(port: number) {
  let longest = 0;
  let underWay: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const ask = async () => {
    const askedAt = performance.now();
    isWaiting = true;
    await fetch(`http://127.0.0.1:${port}/health`).then((answer) => answer.text());
    isWaiting = false;
    longest = Math.max(longest, performance.now() - askedAt);
  };
  const timer = setInterval(() => {
    if (!isWaiting) underWay = ask();
  }, ASK_EVERY_MS);
  return {
    async stop(): Promise<number> {
      clearInterval(timer);
      await underWay;
      return longest;
    },
  };
}
