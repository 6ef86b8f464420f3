/** The settings of the demo from its environment variables. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/load-config.ts';
import { freePorts } from '../support/control-plane/ports.ts';

export const HOME = 'vexil-system';
export const SHOP = 'shop';
export const SAMPLES = fileURLToPath(new URL('../../config/samples', import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

export interface DemoSettings {
  /** The environment variables of the operator, without KUBECONFIG. */
  readonly operator: Environment;
  readonly listens: readonly Address[];
  /** `http://127.0.0.1:4242` */
  readonly url: string;
  readonly opsUrl: string;
  /** The token of the demo. If absent, the demo runs without authentication. */
  readonly token?: string;
}

/** An address that the operator listens on. */
export interface Address {
  /** The host. If absent, the operator listens on all addresses. */
  readonly host?: string;
  readonly port: number;
  /** The setting that changes the port. */
  readonly variable: string;
}

/** Reads the settings. Throws if they are wrong, before anything is started. */
export async function readSettings(environment: Environment): Promise<DemoSettings> {
  // Settings of the launcher of the control plane, which the operator does not know.
  const { VEXIL_CONTROL_PLANE: _, VEXIL_KUBERNETES: __, ...others } = environment;
  const given = { ...others, VEXIL_NAMESPACE: HOME, VEXIL_WATCH_NAMESPACES: SHOP };
  const operator = { ...given, ...(await defaults(others)) };
  const { auth, adminToken, http, opsPort } = loadConfig(operator);
  const host = http.host ?? '127.0.0.1';
  return {
    operator,
    listens: [
      { host, port: http.port, variable: 'VEXIL_HTTP_PORT' },
      { port: opsPort, variable: 'VEXIL_OPS_PORT' },
    ],
    url: `http://${inUrl(host)}:${http.port}`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    ...(auth === 'token' && { token: adminToken ?? '' }),
  };
}

/** The demo listens on this machine only, whatever VEXIL_AUTH is. The port for probes is for the demo only. */
async function defaults(given: Environment): Promise<Environment> {
  const auth = given['VEXIL_AUTH'] || 'none';
  const [httpPort, opsPort] = await freePorts(2);
  return {
    VEXIL_AUTH: auth,
    VEXIL_HTTP_HOST: given['VEXIL_HTTP_HOST'] || '127.0.0.1',
    VEXIL_HTTP_PORT: portOf(given['VEXIL_HTTP_PORT'] || '4242', httpPort),
    VEXIL_OPS_PORT: portOf(given['VEXIL_OPS_PORT'] || '0', opsPort),
    // Its user sees at once what the application reports.
    VEXIL_USAGE_FLUSH_INTERVAL: given['VEXIL_USAGE_FLUSH_INTERVAL'] || '1s',
    VEXIL_USAGE_REFRESH: given['VEXIL_USAGE_REFRESH'] || '5s',
    ...(auth === 'token' && { VEXIL_ADMIN_TOKEN: given['VEXIL_ADMIN_TOKEN'] || randomBytes(16).toString('hex') }),
  };
}

/** The commands name the port, so a free one is chosen here instead of by the operator. */
function portOf(wanted: string, free: number | undefined): string {
  return wanted === '0' ? `${free}` : wanted;
}

function inUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
