/** Calls the API; an answer that the API document does not promise fails the test. */
import { expect } from 'vitest';
import { z } from 'zod';
import { describeApi } from '../../src/http/route/openapi/describe-api.ts';
import { sections } from '../../src/http/routes/all.ts';
import { type Exchange, promiseOf } from './api-promise.ts';

export interface CallOptions {
  /** The body. An object is sent as JSON, a string unchanged, and bytes unchanged and without a content type. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if there is none or it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

export type Call = (request: string, options?: CallOptions) => Promise<Answer>;

/** The one body of every error (docs/unleash-compatibility.md#errors). */
export const errorBody = z.strictObject({
  id: z.uuid(),
  name: z.string().min(1),
  message: z.string().min(1),
  details: z
    .array(z.strictObject({ message: z.string(), description: z.string(), path: z.string().optional() }))
    .min(1),
});

const complaintsAbout = promiseOf(describeApi(sections, '0.0.0'));

/** `request` is like `GET /projects/shop`, below /api/admin; a path that starts with `//` is taken from the root. */
export function adminClient(url: string, checkpoint: Readonly<Record<string, string>> = {}): Call {
  const call = uncheckedClient(url, checkpoint);
  return async (request, options) => {
    const answer = await call(request, options);
    const [method = 'GET', path = ''] = request.split(' ');
    const { pathname } = new URL(targetOf(url, path));
    if (isDocumented(pathname)) expectPromised({ ...answer, method, path: pathname });
    return answer;
  };
}

/** The same for another version of Vexil, whose API document is another. */
export function uncheckedClient(url: string, checkpoint: Readonly<Record<string, string>> = {}): Call {
  return async (request, { body, headers = {} } = {}) => {
    const [method = 'GET', path = ''] = request.split(' ');
    const sent = payload(body);
    // Without this header, fetch accepts compressed answers, which have other tags.
    const plain = { 'accept-encoding': 'identity' };
    const sending = { ...plain, ...sent.headers, ...checkpoint, ...headers };
    const response = await fetch(targetOf(url, path), { method, ...sent, headers: sending });
    const text = await textOf(response);
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };
}

const targetOf = (url: string, path: string) =>
  path.startsWith('//') ? url + path.slice(1) : `${url}/api/admin${path}`;

/** A stream of events ends with its connection. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}

/** The document does not contain the probes and itself. */
function isDocumented(pathname: string): boolean {
  return /^\/(api|edge|ofrep)\//.test(pathname);
}

function payload(body: unknown): { body?: string | Buffer<ArrayBuffer>; headers?: Record<string, string> } {
  if (body === undefined) return {};
  if (Buffer.isBuffer(body)) return { body: Buffer.from(body) };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { body: text, headers: { 'content-type': 'application/json' } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectPromised(exchange: Exchange): void {
  const { method, path, text } = exchange;
  expect(complaintsAbout(exchange), `the answer to ${method} ${path} is not as documented: ${text}`).toEqual([]);
}
