/** A control plane whose API server writes its audit log to a file, and sends it to a port. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCertificate, mountSecret } from '../certificate.ts';
import { installDefinitions } from '../control-plane/install-definitions.ts';
import { freePorts } from '../control-plane/ports.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/start-control-plane.ts';

const POLICY = fileURLToPath(new URL('../../../config/audit-log/policy.yaml', import.meta.url));

/** The name of the token in the kubeconfig of the API server. */
const TOKEN = 'a-token-of-the-audit-log-0123456789';

export interface AuditedPlane {
  readonly plane: ControlPlane;
  /** The file of the log. */
  readonly logFile: string;
  readonly token: string;
  /** The certificate of the port. */
  readonly ca: string;
  readonly port: number;
  /** Settings of an operator that receives the log. */
  readonly receiving: Readonly<Record<string, string>>;
  /** Settings of an operator that reads the file. */
  readonly reading: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The API server sends what it has every half second, and logs with the shipped policy. */
export async function startAuditedPlane(apiServerArgs: readonly string[] = []): Promise<AuditedPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'vexil-audit-log-'));
  const [port = 0] = await freePorts(1);
  const pair = await makeCertificate();
  const secret = await mountSecret(pair);
  const [logFile, tokenFile, webhook] = ['audit.log', 'token', 'webhook.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(tokenFile, `${TOKEN}\n`);
  const cluster = {
    server: `https://127.0.0.1:${port}/`,
    'certificate-authority-data': Buffer.from(pair.cert).toString('base64'),
  };
  await writeFile(
    webhook,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'vexil' },
      clusters: [{ name: 'vexil', cluster }],
      users: [{ name: 'vexil', user: { token: TOKEN } }],
      contexts: [{ name: 'vexil', context: { cluster: 'vexil', user: 'vexil' } }],
    }),
  );
  const plane = await startControlPlane({
    apiServerArgs: [
      `--audit-policy-file=${POLICY}`,
      `--audit-log-path=${logFile}`,
      `--audit-webhook-config-file=${webhook}`,
      ...['--audit-webhook-batch-max-wait=500ms', '--audit-webhook-initial-backoff=500ms'],
      ...apiServerArgs,
    ],
  });
  await installDefinitions(plane);
  const files = { VEXIL_AUDIT_LOG_TLS_CERT_FILE: secret.certFile, VEXIL_AUDIT_LOG_TLS_KEY_FILE: secret.keyFile };
  return {
    ...{ plane, logFile, token: TOKEN, ca: await readFile(secret.certFile, 'utf8'), port },
    receiving: { VEXIL_AUDIT_LOG_PORT: `${port}`, ...files, VEXIL_AUDIT_LOG_TOKEN_FILE: tokenFile },
    reading: { VEXIL_AUDIT_LOG_FILE: logFile },
    async stop() {
      await plane.stop();
      await secret.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
