/** Calls the admin API with the session of the browser. */
import createClient from 'openapi-fetch';
import type { paths, Schemas } from './api.generated.ts';
import { answerInTime, fetchInTime } from './connection/answer-in-time.ts';

// A constant, because otherwise the bundler would take the URL for the URL of an asset.
const program = import.meta.url;

/** The path prefix at which Vexil is served, without the slash at its end; assets are one folder below it. */
export const prefix = new URL('../', program).pathname.replace(/\/$/, '');

export const api = createClient<paths, 'application/json'>({ baseUrl: prefix, fetch: fetchInTime });

/** The options that ask for the manifest of an object. */
export const asManifest = { headers: { Accept: 'application/yaml' }, parseAs: 'text' } as const;

/** A refusal of the API. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Schemas['Error'] | undefined;

  /** Takes the body of the answer, whatever it is. */
  constructor(status: number, answer?: unknown) {
    const body = isErrorBody(answer) ? answer : undefined;
    super(body?.message ?? messagesIn(answer) ?? `Vexil answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** What the API says about its refusal; undefined for another error. */
export function refusalOf(error: Error | null): Schemas['Error'] | undefined {
  return error instanceof ApiError ? error.body : undefined;
}

/** The details of a refusal, because its message also has advice for callers of the API; without them, the message. */
export function messagesOf(error: Error): readonly string[] {
  const details = refusalOf(error)?.details ?? [];
  return details.length > 0 ? details.map(({ message }) => message) : [error.message];
}

/** Some refusals are lists of messages, as Unleash answers them. */
function messagesIn(answer: unknown): string | undefined {
  if (!Array.isArray(answer)) return undefined;
  const messages: unknown[] = answer.map((one: { readonly msg?: unknown } | null) => one?.msg);
  return messages.filter((message) => typeof message === 'string').join(' ') || undefined;
}

interface Result<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of the answer. Throws an ApiError, or an error that says why there is no answer. */
export async function answerOf<T>(asked: Promise<Result<T>>): Promise<T> {
  const { data, response } = await checked(asked);
  if (data === undefined) throw new ApiError(response.status);
  return data;
}

/** Returns the whole result, also for an answer without content. Throws as `answerOf` does. */
export async function checked<T>(asked: Promise<Result<T>>): Promise<Result<T>> {
  const result = await asked;
  if (!result.response.ok) throw new ApiError(result.response.status, result.error);
  return result;
}

function isErrorBody(value: unknown): value is Schemas['Error'] {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}

export async function startSession(token: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ token }) };
  const response = await answerInTime(new Request(`${prefix}/auth/session`, init), 'Sign in again later.');
  if (response.ok) return;
  const body: unknown = await response.json().catch(() => undefined);
  throw new ApiError(response.status, body);
}

/** Returns the URL that ends the session at the identity provider too; undefined if there is none. */
export async function endSession(): Promise<string | undefined> {
  const request = new Request(`${prefix}/auth/session`, { method: 'DELETE' });
  const response = await answerInTime(request, 'You may still be signed in: sign out again later.');
  if (!response.ok) throw new ApiError(response.status);
  if (response.status === 204) return undefined;
  const { signOutUrl } = (await response.json()) as { signOutUrl: string };
  return signOutUrl;
}

/** A way to sign in. */
export interface SignInMethod {
  readonly type: 'token' | 'oidc';
  /** The URL of the identity provider. */
  readonly issuer?: string;
}

/** Returns the ways to sign in; none if callers need no token. */
export async function signInMethods(): Promise<readonly SignInMethod[]> {
  const { methods } = (await (await fetchInTime(new Request(`${prefix}/auth/methods`))).json()) as {
    methods: SignInMethod[];
  };
  return methods;
}
