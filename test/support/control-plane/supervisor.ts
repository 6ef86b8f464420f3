/** The process that owns etcd and kube-apiserver: when its channel closes, it ends both and removes their files. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Component, IntegerIdOrder, Launch, Order, Report } from './supervision.ts';

/** After this time, a component that was asked to end is killed. */
const GRACE_MS = 4_000;

/**
 * With Go's default, 100, the API server spends a third of its time on collecting garbage, and memory is sufficient.
 */
const unhurried = { GOGC: '400', GOMEMLIMIT: '6GiB' };

const running = new Map<Component, { child: ChildProcess; exited: Promise<unknown> }>();
let isFinishing = false;

process.on('message', (message: IntegerIdOrder) => void answer(message));
process.once('disconnect', () => void finish());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void finish());

const directory = mkdtempSync(join(tmpdir(), 'vexil-control-plane-'));
report({ says: 'ready', directory });

async function answer({ number, order }: IntegerIdOrder): Promise<void> {
  try {
    report({ says: 'done', number, pid: await carryOut(order) });
  } catch (error) {
    report({ says: 'failed', number, message: error instanceof Error ? error.message : String(error) });
  }
}

async function carryOut(order: Order): Promise<number | undefined> {
  switch (order.do) {
    case 'start':
      return start(order.component, order.launch);
    case 'end':
      return end(order.component, order.signal);
    case 'signal':
      running.get(order.component)?.child.kill(order.signal);
      return running.get(order.component)?.child.pid;
  }
}

async function start(component: Component, { program, args, log }: Launch): Promise<number | undefined> {
  if (isFinishing) throw new Error('the control plane is ending');
  if (running.has(component)) throw new Error(`${component} runs already`);
  const output = openSync(log, 'a');
  const child = spawn(program, args, { stdio: ['ignore', output, output], env: { ...process.env, ...unhurried } });
  closeSync(output);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(component);
      report({ says: 'exited', component, exit: { code, signal } });
      resolve();
    });
  });
  running.set(component, { child, exited });
  await once(child, 'spawn').catch((error: unknown) => {
    running.delete(component);
    throw error;
  });
  return child.pid;
}

async function end(component: Component, signal: NodeJS.Signals): Promise<undefined> {
  const found = running.get(component);
  if (!found) return;
  found.child.kill(signal);
  // A paused process receives no other signal than this one and SIGKILL.
  found.child.kill('SIGCONT');
  const impatience = setTimeout(() => found.child.kill('SIGKILL'), GRACE_MS);
  await found.exited;
  clearTimeout(impatience);
}

async function finish(): Promise<void> {
  if (isFinishing) return;
  isFinishing = true;
  await end('kube-apiserver', 'SIGTERM');
  await end('etcd', 'SIGTERM');
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit(0);
}

function report(message: Report): void {
  // If the other process was killed, nobody listens any more, and `finish` is called soon.
  if (process.connected) process.send?.(message, () => undefined);
}
