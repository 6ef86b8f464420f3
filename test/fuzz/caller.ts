/** Sends requests byte for byte as they are given, one after the other over a kept connection. */
import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { EVENTS_TYPE } from '../../src/http/server/answer/event-stream.ts';

export interface Request {
  readonly method: string;
  /** The path from the root with the query, as it is sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body. For a stream, everything that arrived up to its first event. */
  readonly text: string;
}

export interface Caller {
  send(request: Request): Promise<Answer>;
  close(): void;
}

/** A slower answer is a finding. */
const PATIENCE_MS = 20_000;
/** The limit for the first event of a stream. */
const MAX_EVENT_BYTES = 2 ** 20;

export function callerOf(url: string): Caller {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const { hostname, port } = new URL(url);
  const send = ({ method, path, headers, text }: Request) => {
    const bytes = text === undefined ? undefined : Buffer.from(text);
    const sent = { ...headers, ...(bytes && { 'Content-Length': String(bytes.length) }) };
    return new Promise<Answer>((resolve, reject) => {
      const options = { hostname, port, method, path, headers: sent, agent, timeout: PATIENCE_MS };
      const sending = http.request(options, (answer) => {
        const chunks: Buffer[] = [];
        const finish = () => {
          const { statusCode: status = 0, headersDistinct } = answer;
          const text = unpack(Buffer.concat(chunks), answer.headers['content-encoding']).toString();
          resolve({ status, headers: headersOf(headersDistinct), text });
        };
        const isStream = answer.headers['content-type']?.startsWith(EVENTS_TYPE);
        answer.once('error', reject).once('end', finish);
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (!isStream || !hasEvent(Buffer.concat(chunks))) return;
          finish();
          sending.destroy();
        });
      });
      sending.once('timeout', () => sending.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
      sending.once('error', reject).end(bytes);
    });
  };
  return { send, close: () => agent.destroy() };
}

function hasEvent(bytes: Buffer): boolean {
  return bytes.includes('\n\n') || bytes.length > MAX_EVENT_BYTES;
}

/** The answer to a HEAD request names the encoding of its content, and has no content. */
function unpack(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === 'br') return brotliDecompressSync(bytes);
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes;
}

function headersOf(distinct: NodeJS.Dict<string[]>): Headers {
  return new Headers(Object.entries(distinct).flatMap(([name, values = []]) => values.map((one) => [name, one])));
}

/** Returns a shell command that sends the same request again. */
export function curlOf(url: string, { method, path, headers, text }: Request): string {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]);
  const body = text === undefined ? [] : ['--data-binary', quoted(text)];
  return ['curl', '-i', '--path-as-is', '-X', method, ...given, ...body, quoted(`${url}${path}`)].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
