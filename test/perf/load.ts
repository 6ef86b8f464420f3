/**
 * Asks one server for one path over kept connections, as fast as it answers.
 *
 * On bare sockets: a client of node:http costs more than the servers it would measure, so that it would measure itself.
 */
import { connect } from 'node:net';
import { answerQuestions } from './child-program.ts';
import { percentile } from './statistics.ts';

export interface Load {
  readonly port: number;
  /** `{n}` in it becomes the number of the request. */
  readonly path: string;
  /** Headers that are sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The JSON to post. If absent, the request is a GET. */
  readonly body?: string | undefined;
  readonly connections: number;
  readonly durationMs: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the generator itself took, from 0 to 1. Near 1, the generator delayed the server. */
  readonly generatorShare: number;
}

const READ_BYTES = 256 * 1024;

answerQuestions(measure);

async function measure(load: Load): Promise<Measured> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const each = Array.from({ length: load.connections }, () => askAgain(load, startedAt + load.durationMs));
  const latencies = (await Promise.all(each)).flat();
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return {
    perSecond: (latencies.length * 1000) / tookMs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    generatorShare: (user + system) / 1000 / tookMs,
  };
}

function requestOf({ port, path, headers, body }: Load): Buffer {
  const ofBody = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length };
  const sent = Object.entries({ Host: `127.0.0.1:${port}`, Accept: 'application/json', ...ofBody, ...headers });
  const method = body === undefined ? 'GET' : 'POST';
  const lines = [`${method} ${path} HTTP/1.1`, ...sent.map((header) => header.join(': '))];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

let requests = 0;

function numbered(path: string): string {
  requests += 1;
  return path.replace('{n}', `${requests}`);
}

/** Sends requests over one connection, one at a time. Returns how many ms each took. */
function askAgain(load: Load, endsAt: number): Promise<number[]> {
  const { port } = load;
  const prepared = requestOf(load);
  const next = load.path.includes('{n}') ? () => requestOf({ ...load, path: numbered(load.path) }) : () => prepared;
  const latencies: number[] = [];
  const isComplete = responseEnds();
  return new Promise((resolve, reject) => {
    let askedAt = 0;
    const ask = () => {
      askedAt = performance.now();
      socket.write(next());
    };
    const take = (bytes: Buffer) => {
      if (!isComplete(bytes)) return;
      const now = performance.now();
      latencies.push(now - askedAt);
      if (now < endsAt) ask();
      else socket.end(() => resolve(latencies));
    };
    const onread = {
      buffer: Buffer.allocUnsafe(READ_BYTES),
      callback(count: number, buffer: Uint8Array) {
        try {
          take(Buffer.from(buffer.buffer, buffer.byteOffset, count));
        } catch (error) {
          socket.destroy(error as Error);
        }
        return true;
      },
    };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread }, ask);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the server on port ${port} closed a connection`)));
  });
}

const NO_BYTES: Buffer = Buffer.alloc(0);

/**
 * Returns a function that takes the bytes of one answer after the other, and returns true when an answer is complete.
 * It refuses statuses other than 200 and 304, and answers without a length: what is compared must be equal.
 */
function responseEnds(): (bytes: Buffer) => boolean {
  let head = NO_BYTES;
  let missing = 0;
  return (bytes) => {
    if (missing > 0) {
      missing -= bytes.length;
    } else {
      head = head.length > 0 ? Buffer.concat([head, bytes]) : bytes;
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) {
        // The buffer is reused for the next read.
        head = Buffer.from(head);
        return false;
      }
      missing = lengthOf(head.toString('latin1', 0, end + 2)) - (head.length - end - 4);
      head = NO_BYTES;
    }
    if (missing < 0) throw new Error('the server sent more than it announced');
    return missing === 0;
  };
}

function lengthOf(head: string): number {
  if (head.startsWith('HTTP/1.1 304 ')) return 0;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined) throw new Error(`unexpected answer:\n${head}`);
  return Number(length);
}
