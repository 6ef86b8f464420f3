/** The supervising process, as seen by its owner. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Component, Exit, Launch, Order, Report } from './supervision.ts';

const PROGRAM = fileURLToPath(new URL('supervisor.ts', import.meta.url));

export interface Supervisor {
  readonly pid: number;
  /** The directory exists as long as the supervising process. */
  readonly directory: string;
  start(component: Component, launch: Launch): Promise<void>;
  end(component: Component, signal: NodeJS.Signals): Promise<void>;
  signal(component: Component, signal: NodeJS.Signals): Promise<void>;
  /** The process identifier of a running component. */
  pidOf(component: Component): number | undefined;
  /** How a started component ended; undefined while it runs. */
  exitOf(component: Component): Exit | undefined;
  /** Ends the components, removes the directory, then ends the process. */
  stop(): Promise<void>;
}

interface Waiting {
  resolve(pid: number | undefined): void;
  reject(error: Error): void;
}

/** Starts a supervising process. It ends by itself when this process has ended, however that happens. */
export async function startSupervisor(): Promise<Supervisor> {
  // The child has its own process group: Ctrl-C in a terminal reaches only this process, and the child cleans up after
  // it.
  const child = fork(PROGRAM, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
  const [ready] = (await Promise.race([once(child, 'message'), failure(child)])) as [Report];
  if (ready.says !== 'ready' || child.pid === undefined) throw new Error('the supervising process did not start');
  return superviseWith(child, { pid: child.pid, directory: ready.directory });
}

async function failure(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`the supervising process ended early (${code ?? signal})`);
}

function superviseWith(child: ChildProcess, facts: Pick<Supervisor, 'pid' | 'directory'>): Supervisor {
  const waiting = new Map<number, Waiting>();
  const pids = new Map<Component, number>();
  const exits = new Map<Component, Exit>();
  let lastNumber = 0;

  child.on('message', (report: Report) => {
    if (report.says === 'exited') {
      pids.delete(report.component);
      exits.set(report.component, report.exit);
    } else if (report.says === 'done') {
      waiting.get(report.number)?.resolve(report.pid);
    } else if (report.says === 'failed') {
      waiting.get(report.number)?.reject(new Error(report.message));
    }
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the supervising process has ended'));
  });
  // A program that has nothing else to do may end without stopping the control plane first.
  child.unref();
  child.channel?.unref();

  const ask = async (order: Order): Promise<number | undefined> => {
    if (!child.connected) throw new Error('the control plane is stopped');
    lastNumber += 1;
    const number = lastNumber;
    child.channel?.ref();
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        child.send({ number, order });
      });
    } finally {
      waiting.delete(number);
      if (waiting.size === 0) child.channel?.unref();
    }
  };

  return {
    ...facts,
    async start(component, launch) {
      exits.delete(component);
      const pid = await ask({ do: 'start', component, launch });
      if (pid !== undefined && !exits.has(component)) pids.set(component, pid);
    },
    async end(component, signal) {
      await ask({ do: 'end', component, signal });
    },
    async signal(component, signal) {
      await ask({ do: 'signal', component, signal });
    },
    pidOf: (component) => pids.get(component),
    exitOf: (component) => exits.get(component),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
