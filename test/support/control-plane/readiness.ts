/** Whether the API server reports that it is ready. */
import { readFile } from 'node:fs/promises';
import { get } from 'node:https';
import { authorityFile } from './access.ts';
import type { Layout } from './layout.ts';
import type { Supervisor } from './supervise.ts';
import type { Component } from './supervision.ts';
import { waitUntil } from './wait-until.ts';

const READY_TIMEOUT_MS = 120_000;
const REQUEST_TIMEOUT_MS = 5_000;
const SHOWN_LINES = 15;

/** Another program has taken a port that was free when it was chosen: the start is repeated with other ports. */
export class PortTakenError extends Error {}

export interface Readiness {
  readonly supervisor: Supervisor;
  readonly layout: Layout;
  readonly timeoutMs?: number;
}

/** Waits for `/readyz`. Throws with the end of the log of the failed component. */
export async function waitUntilReady(readiness: Readiness): Promise<void> {
  const { supervisor, layout, timeoutMs = READY_TIMEOUT_MS } = readiness;
  const what = `${layout.server}/readyz says ok`;
  const ready = waitUntil({ what, timeoutMs }, async () => {
    for (const component of ['etcd', 'kube-apiserver'] as const) await refuseIfEnded(component, readiness);
    return isReady(layout, supervisor.directory);
  });
  await ready.catch(async (error: unknown) => {
    if (supervisor.exitOf('etcd') || supervisor.exitOf('kube-apiserver')) throw error;
    throw new Error(`the API server is not ready after ${timeoutMs} ms\n${await endOfLog('kube-apiserver', layout)}`);
  });
}

async function refuseIfEnded(component: Component, { supervisor, layout }: Readiness): Promise<void> {
  const exit = supervisor.exitOf(component);
  if (!exit) return;
  const log = await endOfLog(component, layout);
  if (log.includes('address already in use')) throw new PortTakenError(log);
  throw new Error(`${component} ended with ${exit.code ?? exit.signal} before it was ready\n${log}`);
}

async function endOfLog(component: Component, { etcd, apiServer }: Layout): Promise<string> {
  const { log } = component === 'etcd' ? etcd : apiServer;
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  return [`The last lines of ${log}:`, ...lines.slice(-SHOWN_LINES)].join('\n');
}

async function isReady({ server, token }: Layout, directory: string): Promise<boolean> {
  // The server writes its certificate before it listens.
  const ca = await readFile(authorityFile(directory)).catch(() => undefined);
  if (ca === undefined) return false;
  const options = { ca, headers: { authorization: `Bearer ${token}` }, timeout: REQUEST_TIMEOUT_MS, agent: false };
  return new Promise((resolve) => {
    const request = get(`${server}/readyz`, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
