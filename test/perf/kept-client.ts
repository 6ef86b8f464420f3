/** Calls over kept connections, one after the other, with the duration of each. */
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { parse } from 'yaml';

export interface KeptCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

export interface KeptAnswer {
  readonly bytes: Buffer;
  readonly tookMs: number;
}

export interface KeptClient {
  /** Throws unless the answer is a success. */
  call(call: KeptCall): Promise<KeptAnswer>;
  close(): void;
}

interface Origin {
  readonly url: string;
  readonly ca?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export function keptClient({ url, ca, headers: checkpoint }: Origin): KeptClient {
  const { request } = url.startsWith('https:') ? https : http;
  const options = { keepAlive: true, noDelay: true };
  const agent = url.startsWith('https:') ? new https.Agent({ ...options, ca }) : new http.Agent(options);
  const call = ({ method, path, contentType = 'application/json', body }: KeptCall) => {
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const sent = text && { 'Content-Type': contentType, 'Content-Length': text.length };
    const startedAt = performance.now();
    return new Promise<KeptAnswer>((resolve, reject) => {
      const sending = request(`${url}${path}`, { method, agent, headers: { ...checkpoint, ...sent } }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
        answer.once('end', () => {
          const tookMs = performance.now() - startedAt;
          const bytes = Buffer.concat(chunks);
          const { statusCode = 0 } = answer;
          if (statusCode >= 200 && statusCode <= 299) resolve({ bytes, tookMs });
          else reject(new Error(`${method} ${path} was answered with ${statusCode}: ${bytes.toString()}`));
        });
      });
      sending.once('error', reject).end(text);
    });
  };
  return { call, close: () => agent.destroy() };
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { server: string; 'certificate-authority-data': string } }];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** Calls the API server as the user of a kubeconfig of the test control plane. */
export async function clusterClient(path: string): Promise<KeptClient> {
  const { clusters, users }: Kubeconfig = parse(await readFile(path, 'utf8'));
  const { cluster } = clusters[0];
  return keptClient({
    url: cluster.server,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
    headers: { Authorization: `Bearer ${users[0].user.token}`, Accept: 'application/json' },
  });
}
