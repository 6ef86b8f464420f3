/** An operator for one test file: the real app under its own ServiceAccount, in namespaces of its own. */
import { Writable } from 'node:stream';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { Cluster } from './cluster.ts';
import { grantOperatorRoles } from './operator-roles.ts';

export interface OperatorOptions {
  /** Namespaces beside home; they must exist. */
  readonly watched?: readonly string[];
  /** `VEXIL_*` variables; ports are free ones unless said. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Operator {
  readonly home: string;
  /** `http://127.0.0.1:…` */
  readonly url: string;
  readonly opsUrl: string;
  /** The path of the kubeconfig that it uses. */
  readonly kubeconfig: string;
  /** The log so far, an object a line. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  stop(): Promise<void>;
}

/** Resolves when the caches are full. */
export async function startOperator(cluster: Cluster, home: string, options: OperatorOptions = {}): Promise<Operator> {
  const watched = options.watched ?? [];
  const kubeconfig = await grantOperatorRoles(cluster, home, watched);
  const config = loadConfig({
    KUBECONFIG: kubeconfig,
    VEXIL_NAMESPACE: home,
    VEXIL_WATCH_NAMESPACES: [home, ...watched].join(','),
    VEXIL_HTTP_PORT: '0',
    VEXIL_OPS_PORT: '0',
    VEXIL_AUTH: 'none',
    ...options.settings,
  });
  const log: Readonly<Record<string, unknown>>[] = [];
  const app = createApp(config, createLogger({ level: config.logLevel, destination: linesInto(log) }));
  const { httpPort, opsPort } = await app.start();
  await app.ready();
  return {
    home,
    kubeconfig,
    log,
    url: `http://127.0.0.1:${httpPort}`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    stop: () => app.stop(),
  };
}

function linesInto(log: Readonly<Record<string, unknown>>[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n').filter(Boolean)) log.push(JSON.parse(line));
      done();
    },
  });
}
