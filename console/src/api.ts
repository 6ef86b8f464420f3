/** Calls the admin API with the session of the browser. */
import createClient from 'openapi-fetch';
import type { paths, Schemas } from './api.generated.ts';

// In a constant: the bundler would else take the URL for that of an asset.
const program = import.meta.url;

/** The path prefix at which Vexil is served, without the slash at its end: assets are one folder below it. */
export const prefix = new URL('../', program).pathname.replace(/\/$/, '');

export const api = createClient<paths, 'application/json'>({ baseUrl: prefix });

/** Asks for the manifest of an object. */
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

/** What was asked for; throws an ApiError, or what fetch throws when there is no answer. */
export async function answerOf<T>(asked: Promise<Result<T>>): Promise<T> {
  const { data, response } = await checked(asked);
  if (data === undefined) throw new ApiError(response.status);
  return data;
}

/** The same of an answer without content. */
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
  const response = await fetch(`${prefix}/auth/session`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  if (response.ok) return;
  const body: unknown = await response.json().catch(() => undefined);
  throw new ApiError(response.status, body);
}

/** Where the session at the identity provider is ended; undefined: there is none. */
export async function endSession(): Promise<string | undefined> {
  const response = await fetch(`${prefix}/auth/session`, { method: 'DELETE' });
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

/** The ways to sign in; none: no caller needs a token. */
export async function signInMethods(): Promise<readonly SignInMethod[]> {
  const { methods } = (await (await fetch(`${prefix}/auth/methods`)).json()) as { methods: SignInMethod[] };
  return methods;
}
