/** A proxy that serves Vexil below a path, as an Ingress does. */
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CertificatePair } from '../support/certificate.ts';

export const PREFIX = '/tools/flags';

export interface PrefixProxy {
  readonly url: string;
  stop(): void;
}

/** Answers a request instead of Vexil; false if Vexil answers it. */
export type AnswerInstead = (asked: IncomingMessage, answer: ServerResponse) => boolean;

/**
 * `target` is called for each request, because an operator may have to know the URL of the proxy before it starts. With
 * a certificate the proxy serves https.
 */
export async function startPrefixProxy(
  target: string | (() => string),
  {
    certificate,
    answerInstead = () => false,
  }: {
    readonly certificate?: Pick<CertificatePair, 'cert' | 'key'> | undefined;
    readonly answerInstead?: AnswerInstead;
  } = {},
): Promise<PrefixProxy> {
  const forward: RequestListener = (asked, answer) => {
    const path = asked.url ?? '';
    if (!path.startsWith(`${PREFIX}/`)) {
      answer.writeHead(404).end();
      return;
    }
    if (answerInstead(asked, answer)) return;
    const options = { method: asked.method, headers: asked.headers, path: path.slice(PREFIX.length) };
    const forwarded = request(typeof target === 'string' ? target : target(), options, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    asked.pipe(forwarded);
  };
  const server = certificate ? createTlsServer(certificate, forward) : createServer(forward);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
