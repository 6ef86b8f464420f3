/** Calls the API of Vexil, for what only the operator knows and for writes that respect the owners of fields. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import { reasonOf } from '../manifests/source.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import { reasonOfFetch, serverUrl, textOfAnswer } from './answer.ts';
import { linesOf } from './lines.ts';
import type { ServerOptions } from './options.ts';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below /api/admin with encoded names, as `pathOf` returns it. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly accept?: string;
}

export interface ApiAnswer {
  /** Parsed JSON, or the text if the answer is not JSON. */
  readonly body: unknown;
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export interface ServerConnection {
  /** For messages. */
  readonly address: string;
  /** Throws an ApiFailure for answers other than 2xx, and a Failure if there is no answer. */
  call(call: ApiCall): Promise<ApiAnswer>;
  /** The lines of an answer of any length; fails as `call`, also if the answer ends early. */
  lines(call: ApiCall): AsyncIterable<string>;
}

/** The fields of a refusal that commands use. */
const refusalBody = z.object({
  name: z.string(),
  message: z.string(),
  details: z.array(z.object({ message: z.string(), path: z.string().optional() })).default([]),
  sources: z
    .array(z.object({ manager: z.string(), yaml: z.string().optional(), mergePatch: z.unknown().optional() }))
    .default([]),
});
type RefusalBody = z.infer<typeof refusalBody>;

/** The error for a call that the API refuses. */
export class ApiFailure extends Failure {
  override readonly name = 'ApiFailure';
  /** The name of the error on the wire, such as FieldManagedError. */
  readonly code: string;
  readonly details: RefusalBody['details'];
  /** The change for each source of the fields, if the code is FieldManagedError. */
  readonly sources: RefusalBody['sources'];

  constructor({ name, message, details, sources }: RefusalBody, status: Failure['status']) {
    super(message, status);
    this.code = name;
    this.details = details;
    this.sources = sources;
  }
}

const TIMEOUT_MS = 30_000;
/** The history is seldom behind for longer, also on a busy machine. */
const MAX_READS_AGAIN = 10;
/** A longer wait is for the person to decide. */
const MAX_PAUSE_SECONDS = 5;

/** Returns the path below /api/admin that these names form. */
export function pathOf(...names: readonly string[]): string {
  return `/${names.map(encodeURIComponent).join('/')}`;
}

/** Parses the body of an answer in the form of the API document. Throws a Failure if the body has another form. */
export function bodyAs<T>(schema: z.ZodType<T>, { body }: ApiAnswer): T {
  const { data, error } = schema.safeParse(body);
  if (error === undefined) return data;
  const { path = [], message } = error.issues[0] ?? {};
  const what = `Vexil answered in a form that this program does not know (${path.join('.')}: ${message})`;
  throw new Failure(`${what}: use the program of the same version`, EXIT.unavailable, error);
}

/** Makes no call yet. Throws a Failure if the address or the token is missing. */
export async function connectServer(
  options: ServerOptions,
  { environment }: Pick<Terminal, 'environment'>,
): Promise<ServerConnection> {
  const base = addressOf(options.server);
  const token = options.tokenFile === undefined ? environment['VEXIL_TOKEN'] : await tokenIn(options.tokenFile);
  const headers = { 'User-Agent': 'vexil', ...(token?.trim() && { Authorization: token.trim() }) };

  async function send(call: ApiCall, signal = AbortSignal.timeout(TIMEOUT_MS)) {
    const json = call.body === undefined ? undefined : JSON.stringify(call.body);
    const response = await fetch(urlOf(base, call), {
      method: call.method,
      headers: {
        ...headers,
        Accept: call.accept ?? 'application/json',
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      body: json ?? null,
      // Redirects fail, because no other address must receive the token.
      redirect: 'error',
      signal,
    }).catch((error: unknown) => {
      throw unreachable(base, error);
    });
    if (response.status === 401) throw unauthenticated(base, options, token);
    return response;
  }

  /** Reads again when the server asks for it: a moment ago, a change may not have been in the history yet. */
  async function sendPatiently(call: ApiCall, signal?: AbortSignal): Promise<Response> {
    let response = await send(call, signal);
    for (let again = 0; again < MAX_READS_AGAIN; again += 1) {
      const pauseMs = pauseOf(call, response);
      if (pauseMs === undefined) break;
      await response.body?.cancel();
      await sleep(pauseMs);
      response = await send(call, signal);
    }
    if (!response.ok) throw await refused(response, base);
    return response;
  }

  return {
    address: base,
    async call(call) {
      const response = await sendPatiently(call);
      return { body: parsed(await readAll(response, base)), warnings: warningsOf(response) };
    },
    async *lines(call) {
      // The answer may take as long as it is read.
      const response = await sendPatiently(call, new AbortController().signal);
      yield* linesIn(response, base);
    },
  };
}

/** Undefined: the server does not ask for another attempt soon. */
function pauseOf({ method }: ApiCall, { status, headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const isBusy = method === 'GET' && (status === 503 || status === 429);
  const isSoon = isBusy && seconds > 0 && seconds <= MAX_PAUSE_SECONDS;
  return isSoon ? 1000 * seconds : undefined;
}

async function* linesIn(response: Response, base: string): AsyncIterable<string> {
  try {
    yield* linesOf(response.body ?? emptyStream());
  } catch (error) {
    throw unreachable(base, error);
  }
}

function urlOf(base: string, { path, query = {} }: ApiCall): URL {
  const url = new URL(`${base}/api/admin${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function addressOf(server: string | undefined): string {
  if (server === undefined || server === '') {
    const example = 'kubectl port-forward --namespace vexil service/vexil 4242';
    throw new Failure(
      `this needs the address of Vexil: give --server or VEXIL_SERVER. Without one in your network: ${example}, then --server http://localhost:4242`,
      EXIT.usage,
    );
  }
  const url = serverUrl(server);
  if (!url) {
    throw new Failure(`"${server}" is no address of a server: write it as https://vexil.example.com`, EXIT.usage);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

async function tokenIn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`cannot read the token file ${file}: ${reasonOf(error)}`, EXIT.noInput, error);
  });
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {}

/** The text of the API is that of Unleash, for people in a browser. */
function unauthenticated(base: string, { tokenFile }: ServerOptions, token: string | undefined): Failure {
  const place = tokenFile === undefined ? 'VEXIL_TOKEN' : `the file ${tokenFile}`;
  const message = token?.trim()
    ? `${base} does not accept the token of ${place}: it may be mistyped, expired, deleted, or of another server`
    : `${base} needs a token: put one into VEXIL_TOKEN, or into a file for --token-file`;
  return new Failure(`${message}. Use an API token of type admin, or a personal one`, EXIT.noPermission);
}

function unreachable(base: string, error: unknown): Failure {
  return new Failure(`Vexil cannot be reached at ${base}: ${reasonOfFetch(error)}`, EXIT.unavailable, error);
}

function readAll(response: Response, base: string): Promise<string> {
  const tooLong = (max: number) => new Error(`the answer is longer than ${max} bytes`);
  return textOfAnswer(response, tooLong).catch((error: unknown) => {
    throw unreachable(base, error);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the texts of warnings in the form `299 vexil "text"`. */
function warningsOf({ headers }: Response): readonly string[] {
  const texts = (headers.get('warning') ?? '').matchAll(/\d{3} \S+ ("(?:[^"\\]|\\.)*")/g);
  return [...texts].map(([, quoted = '""']) => quoted.slice(1, -1).replace(/\\(.)/g, '$1'));
}

async function refused(response: Response, base: string): Promise<Failure> {
  const { data } = refusalBody.safeParse(parsed(await readAll(response, base)));
  // Nobody can do what these two errors refuse, so a missing permission is not the cause.
  const isDenied = data?.name === 'OperationDeniedError' || data?.name === 'InvalidOperationError';
  if (data) return new ApiFailure(data, isDenied ? EXIT.findings : statusOf(response.status));
  return new Failure(`${base} answered ${response.status}: is it the address of Vexil?`, statusOf(response.status));
}

function statusOf(status: number): Failure['status'] {
  if (status === 401 || status === 403) return EXIT.noPermission;
  if (status === 404) return EXIT.noInput;
  return status === 429 || status >= 500 ? EXIT.unavailable : EXIT.findings;
}
