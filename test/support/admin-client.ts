/** Calls the admin API; an answer that its route does not promise fails the test. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routes/all.ts';

export interface CallOptions {
  /** Sent as JSON; a string goes as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined where there is none or it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

export type Call = (request: string, options?: CallOptions) => Promise<Answer>;

/** The one body of every error (product §7). */
export const errorBody = z.strictObject({
  id: z.uuid(),
  name: z.string().min(1),
  message: z.string().min(1),
  details: z
    .array(z.strictObject({ message: z.string(), description: z.string(), path: z.string().optional() }))
    .min(1),
});

const MEMBERS = /^\/projects\/[^/]+\/users\//;

/** `request` is like `GET /projects/shop`, below /api/admin; a path that starts with `//` is taken from the root. */
export function adminClient(url: string, standing: Readonly<Record<string, string>> = {}): Call {
  return async (request, { body, headers = {} } = {}) => {
    const [method = 'GET', path = ''] = request.split(' ');
    const target = path.startsWith('//') ? url + path.slice(1) : `${url}/api/admin${path}`;
    const sent = payload(body);
    const response = await fetch(target, { method, ...sent, headers: { ...sent.headers, ...standing, ...headers } });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, text, body: parsed(text) };
    if (!path.startsWith('//')) expectPromised(method, path, answer);
    return answer;
  };
}

function payload(body: unknown): { body?: string; headers?: Record<string, string> } {
  if (body === undefined) return {};
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

function expectPromised(method: string, path: string, { status, body, text }: Answer): void {
  if (status >= 400) {
    if (!MEMBERS.test(path) && method !== 'HEAD') expect(errorBody.safeParse(body).error?.issues ?? []).toEqual([]);
    return;
  }
  const route = routes.find((one) => one.method === method.toLowerCase() && matches(one, path));
  if (!route || status === 304) return;
  expect(status).toBe(route.answer);
  if (route.response) expect(closed(route.response).safeParse(body).error?.issues ?? []).toEqual([]);
  else expect(text).toBe('');
}

function matches({ path }: Route, target: string): boolean {
  const pattern = path.replace(/:[A-Za-z]+/g, '[^/]+').replaceAll('.', '\\.');
  return new RegExp(`^${pattern}/?$`).test(target.split('?')[0] ?? '');
}

/** Answers have no field that their schema does not name. */
function closed(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? z.strictObject(schema.shape) : schema;
}
