/** Many clients that ask for a stream at the same moment, each once, and stay if they get it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { answerQuestions } from '../child-program.ts';

interface Rush {
  /** The number of clients. */
  readonly clients: number;
  readonly port: number;
  readonly path: string;
  readonly token: string;
  /** Whether those that get a stream read it. */
  readonly areReading: boolean;
}

export type RushQuestion =
  /** Answered when each client has an answer. */
  | Rush
  /** Answered when each stream that is open has received this text. */
  | { readonly text: string };

export interface Rushed {
  /** Streams that are open. */
  readonly open: number;
  /** Streams that the server has closed. */
  readonly closed: number;
  /** Answers other than a stream, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Connections that ended without an answer. */
  readonly dropped: number;
  /** Refusals without a time to come back. */
  readonly withoutRetryAfter: number;
}

const TAIL = 1_000;

interface Client {
  readonly socket: Socket;
  tail: string;
}

const open = new Set<Client>();
const count = { closed: 0, dropped: 0, withoutRetryAfter: 0 };
const refused: Record<string, number> = {};
let onChange: () => void = () => undefined;

async function comeOnce({ port, path, token, areReading }: Rush): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  const ended = once(socket, 'close');
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${token}\r\n\r\n`;
  socket.once('connect', () => socket.write(request));
  const data = once(socket, 'data').catch(() => ended);
  const [head] = (await Promise.race([data, ended])) as [Buffer | boolean];
  if (!Buffer.isBuffer(head)) {
    count.dropped += 1;
    return;
  }
  const text = head.toString('latin1');
  const status = text.slice(9, 12);
  if (status === '200') stay(socket, { text, areReading });
  else {
    refused[status] = (refused[status] ?? 0) + 1;
    if (!/^retry-after: \d+\r$/im.test(text)) count.withoutRetryAfter += 1;
    socket.destroy();
  }
}

function stay(socket: Socket, { text, areReading }: { readonly text: string; readonly areReading: boolean }): void {
  const client = { socket, tail: text };
  open.add(client);
  if (!areReading) socket.pause();
  socket.on('data', (chunk: Buffer) => {
    client.tail = `${client.tail}${chunk.toString('latin1')}`.slice(-TAIL);
    onChange();
  });
  socket.once('close', () => {
    open.delete(client);
    count.closed += 1;
    onChange();
  });
}

function until(isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    onChange = () => {
      if (isSo()) resolve();
    };
    onChange();
  });
}

async function untilAllHave(text: string): Promise<void> {
  const waiting = new Set(open);
  await until(() => {
    for (const client of waiting) if (!open.has(client) || client.tail.includes(text)) waiting.delete(client);
    return waiting.size === 0;
  });
}

answerQuestions<RushQuestion, Rushed>(async (question) => {
  if ('text' in question) await untilAllHave(question.text);
  else await Promise.all(Array.from({ length: question.clients }, () => comeOnce(question)));
  return { open: open.size, ...count, refused };
});
