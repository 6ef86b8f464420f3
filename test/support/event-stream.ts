/** Reads server-sent events as a client that can stop reading. */
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { waitUntil } from './control-plane/wait-until.ts';

export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly data: string | undefined;
}

export interface OpenedStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The events in their order. A comment has neither name nor data. */
  readonly events: readonly ReceivedEvent[];
  /** The end of the stream; undefined while it is open. `cleanly`: the server has ended it. */
  readonly ended: 'cleanly' | 'abruptly' | undefined;
  /** Waits for that many events with data, and returns the last of them. */
  nth(count: number): Promise<ReceivedEvent>;
  untilEnded(): Promise<string>;
  /** Stops reading. */
  pause(): void;
  resume(): void;
  close(): void;
}

interface StreamOptions {
  readonly token?: string;
  readonly lastEventId?: string | undefined;
  readonly query?: string;
  readonly path?: string;
  readonly origin?: string;
  /** The address of the client, as a proxy reports it. */
  readonly from?: string | undefined;
}

export async function openStream(
  url: string,
  { token, lastEventId, query = '', path = '/api/client/streaming', origin, from }: StreamOptions,
): Promise<OpenedStream> {
  const headers = {
    ...(token !== undefined && { authorization: token }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    ...(origin !== undefined && { origin }),
    ...(from !== undefined && { 'x-forwarded-for': from }),
  };
  const request = get(`${url}${path}${query}`, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return follow(request, response);
}

function follow(request: ClientRequest, response: IncomingMessage): OpenedStream {
  const events: ReceivedEvent[] = [];
  let ended: OpenedStream['ended'];
  /** The parts of an event that has not arrived completely. */
  let pieces: string[] = [];
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const isEnding = chunk.includes('\n\n') || (chunk.startsWith('\n') && pieces.at(-1)?.endsWith('\n'));
    pieces.push(chunk);
    // Joining a document of megabytes for each of its parts would make this a slow reader.
    if (!isEnding) return;
    const blocks = pieces.join('').split('\n\n');
    pieces = [blocks.pop() ?? ''];
    events.push(...blocks.map(parseEvent));
  });
  response.on('end', () => {
    ended = 'cleanly';
  });
  response.on('error', () => {
    ended = 'abruptly';
  });
  const having = () => events.filter(({ data }) => data !== undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    get ended() {
      return ended;
    },
    nth: (count) => waitUntil({ what: `event ${count} arrives`, everyMs: 5 }, async () => having()[count - 1] ?? false),
    untilEnded: () => waitUntil({ what: 'the stream ends', everyMs: 5 }, async () => ended ?? false),
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void request.destroy(),
  };
}

function parseEvent(block: string): ReceivedEvent {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { id: field('id'), name: field('event'), data: field('data') };
}
