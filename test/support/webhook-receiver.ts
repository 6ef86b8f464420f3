/** A receiver of webhooks on the loopback, which answers as a test says and keeps what it was sent. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stored } from './stored.ts';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The id of the CloudEvent. */
  readonly id: string;
  /** The data of the CloudEvent. */
  readonly event: Stored;
  /** Ms since 1970. */
  readonly at: number;
  /** Whether it was answered 2xx. */
  taken: boolean;
}

/** Returns a status, or answers itself. */
export type React = (received: Received, response: ServerResponse) => number | undefined;

export interface WebhookReceiver {
  readonly url: string;
  readonly received: Received[];
  /** The ids that were taken, in the order of their arrival. */
  taken(): readonly string[];
  react: React;
  stop(): Promise<void>;
}

export async function startReceiver(react: React = () => 204): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const one = readMessage(request, body);
    received.push(one);
    const status = receiver.react(one, response);
    if (status === undefined) return;
    one.taken = status >= 200 && status < 300;
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    react,
    taken: () => received.filter(({ taken }) => taken).map(({ id }) => id),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function readMessage({ url = '', headers }: IncomingMessage, body: string): Received {
  const content = JSON.parse(body) as Stored;
  const isStructured = headers['content-type']?.startsWith('application/cloudevents+json') === true;
  return {
    ...{ path: url, headers, body, at: Date.now(), taken: false },
    id: String(isStructured ? content.id : headers['ce-id']),
    event: isStructured ? content.data : content,
  };
}
