/** The minimum of Express for streams: prepared events are sent to every reader when a bare watch receives a change. */
import type { AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { EVENTS_TYPE } from '../../../src/http/server/answer/event-stream.ts';
import { loadKubeConfig } from '../../../src/kube/api/kubeconfig.ts';
import { connect } from '../../../src/kube/api/transport.ts';
import { answerQuestions } from '../child-program.ts';
import { followDescriptions } from '../sightings.ts';

export interface BareStreams {
  readonly kubeconfig: string;
  readonly route: string;
  /** The first bytes for each reader. */
  readonly first: string;
  /** The bytes that each reader receives for a change with this description. */
  readonly update: string;
  readonly description: string;
}

export interface Listening {
  readonly pid: number;
  readonly port: number;
}

answerQuestions(listen);

function listen({ kubeconfig, route, first, update, description }: BareStreams): Promise<Listening> {
  const readers = new Set<Response>();
  const app = express();
  const firstBytes = Buffer.from(first);
  app.get(route, (_request, response) => {
    response.type(EVENTS_TYPE).write(firstBytes);
    readers.add(response);
    response.once('close', () => readers.delete(response));
  });
  let last = description;
  const watching = followDescriptions(connect(loadKubeConfig(kubeconfig)), new AbortController().signal, (found) => {
    // Only the status has changed.
    if (found === last) return;
    last = found;
    const bytes = Buffer.from(update.replaceAll(description, found));
    for (const reader of readers) reader.write(bytes);
  });
  // Readers would otherwise wait forever.
  watching.catch((error: unknown) => {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  });
  return new Promise((resolve, reject) => {
    const server = app.listen(0, '127.0.0.1', (error) =>
      error ? reject(error) : resolve({ pid: process.pid, port: (server.address() as AddressInfo).port }),
    );
  });
}
