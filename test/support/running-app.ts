/** The real app inside this process, on free ports. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Machine, systemMachine } from '../../src/app/machine.ts';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { untraced } from '../../src/telemetry/tracing.ts';
import { captureLog } from './capture-log.ts';
import { countWrites, type Writes } from './writes.ts';

export interface RunningApp {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  readonly opsUrl: string;
  /** The log so far, one object per line. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** The writes so far that the API server accepted. */
  writes(): Promise<Writes>;
  /** Resolves when the caches are full. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Resolves when the app listens. It has its own history, which is deleted when it stops, and requires no token, unless
 * `settings` (`VEXIL_*` and KUBECONFIG) say otherwise.
 */
export async function startApp(
  settings: Readonly<Record<string, string>>,
  wallTime: Machine['wallTime'] = Date.now,
): Promise<RunningApp> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-history-'));
  const config = loadConfig({
    VEXIL_HTTP_PORT: '0',
    VEXIL_OPS_PORT: '0',
    VEXIL_AUTH: 'none',
    // Most tests do not test a busy API server.
    VEXIL_REVIEW_TIMEOUT: '30s',
    VEXIL_AUDIT_URL: `sqlite:${join(folder, 'audit.db')}`,
    ...settings,
  });
  const log: Readonly<Record<string, unknown>>[] = [];
  const writes = countWrites();
  const app = createApp(config, createLogger({ level: config.logLevel, destination: captureLog(log) }), {
    nodeVersion: process.version,
    machine: { ...systemMachine, wallTime },
    memory: () => ({ limit: 0, used: 0 }),
    tracing: { ...untraced, called: writes.called },
  });
  const { httpPort, opsPort } = await app.start();
  return {
    ...app,
    log,
    writes: async () => writes.now(),
    url: `http://127.0.0.1:${httpPort}`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    async stop() {
      await app.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
