/** The minimum of Express: routes of the same form as those of Vexil that send prepared bytes. */
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { answerQuestions } from './child-program.ts';

export interface BareRoutes {
  /** Whether Express hashes what it sends into an ETag, as it does by default. */
  readonly etag: boolean;
  readonly bodies: readonly { readonly route: string; readonly body: Uint8Array }[];
}

answerQuestions(listen);

/** Starts a server, and returns its port. */
function listen({ etag, bodies }: BareRoutes): Promise<number> {
  const app = express();
  if (!etag) app.disable('etag');
  for (const { route, body } of bodies) {
    const bytes = Buffer.from(body);
    const send: RequestHandler = (_request, response) => {
      response.type('json').send(bytes);
    };
    app.get(route, send);
    app.post(route, express.json(), send);
  }
  return new Promise((resolve, reject) => {
    const server = app.listen(0, '127.0.0.1', (error) =>
      error ? reject(error) : resolve((server.address() as AddressInfo).port),
    );
  });
}
