/** Many readers of streams in one process, with plain sockets, which cost less than the server. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { answerQuestions } from '../child-program.ts';

interface Opening {
  /** The number of readers to open. */
  readonly open: number;
  readonly port: number;
  readonly path: string;
  readonly token: string;
}

export type ReadersQuestion =
  /** Answered when each reader has its first event. */
  | Opening
  /** Answered when each reader has received this text. */
  | { readonly text: string };

/** Times in ms since 1970. */
export interface AllHave {
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The number of readers that connect at the same time: the backlog of a socket is bounded. */
const AT_A_TIME = 100;
const TAIL = 1_000;

interface Reader {
  readonly socket: Socket;
  tail: string;
}

const readers: Reader[] = [];
let onData: (reader: Reader) => void = () => undefined;

async function openOne({ port, path, token }: Opening): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  const reader = { socket, tail: '' };
  await once(socket, 'connect');
  readers.push(reader);
  socket.on('data', (chunk: Buffer) => {
    reader.tail = `${reader.tail}${chunk.toString('latin1')}`.slice(-TAIL);
    onData(reader);
  });
  const answered = once(socket, 'data') as Promise<[Buffer]>;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${token}\r\n\r\n`);
  const [bytes] = await answered;
  const [status = ''] = bytes.toString('latin1').split('\r\n', 1);
  if (status !== 'HTTP/1.1 200 OK') throw new Error(`a stream was answered with ${status}`);
  socket.once('close', () => {
    throw new Error('a stream has ended');
  });
}

/** Resolves when the condition holds for each reader. */
function untilEach(isTrue: (reader: Reader) => boolean): Promise<AllHave> {
  const waiting = new Set(readers.filter((reader) => !isTrue(reader)));
  const now = () => performance.timeOrigin + performance.now();
  let firstAt = 0;
  return new Promise((resolve) => {
    onData = (reader) => {
      if (!waiting.has(reader) || !isTrue(reader)) return;
      firstAt ||= now();
      waiting.delete(reader);
      if (waiting.size === 0) resolve({ firstAt, lastAt: now() });
    };
    if (waiting.size === 0) resolve({ firstAt: now(), lastAt: now() });
  });
}

answerQuestions<ReadersQuestion, AllHave>(async (question) => {
  if ('text' in question) return untilEach(({ tail }) => tail.includes(question.text));
  const { open } = question;
  for (let opened = 0; opened < open; opened += AT_A_TIME) {
    const some = Math.min(AT_A_TIME, open - opened);
    await Promise.all(Array.from({ length: some }, () => openOne(question)));
    await untilEach(({ tail }) => tail.includes('}\n\n'));
  }
  return untilEach(({ tail }) => tail.includes('}\n\n'));
});
