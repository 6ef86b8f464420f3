/** Requests of every kind that the dashboard shows. */
import { expect } from 'vitest';
import { adminClient } from './admin-client.ts';
import type { Cluster } from './cluster.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import { type OpenedStream, openStream } from './event-stream.ts';
import { flagsDirectly } from './fault-proxy/flags-directly.ts';
import { tokensDirectly } from './tokens-directly.ts';

/** The settings of the operator that receives the requests. */
export const TRAFFIC_SETTINGS = { VEXIL_USAGE_FLUSH_INTERVAL: '200ms' };

export interface Traffic {
  /** Polls and reports of an SDK, and changes of a flag. */
  round(): Promise<void>;
  end(): void;
}

const FLAG = '/projects/shop/features/checkout';
const CHANGES = '/api/admin/changes';

/**
 * Sends an alert, opens and closes a stream of each kind, and leaves one of each open. The operator requires no token.
 */
export async function startTraffic(cluster: Cluster, home: string, url: string): Promise<Traffic> {
  const call = adminClient(url);
  const token = await prepare(cluster, home);
  await waitUntil({ what: 'the flag is served' }, async () => (await call(`GET ${FLAG}`)).status === 200);
  const open = async (path?: string): Promise<OpenedStream> => openStream(url, { token, ...(path && { path }) });
  const streams = await Promise.all([open(), open(CHANGES)]);
  for (const stream of await Promise.all([open(), open(CHANGES)])) stream.close();
  const labels = { alertname: 'Errors', vexil_flag: 'checkout', vexil_environment: 'production' };
  const alert = {
    ...{ status: 'firing', startsAt: '2026-03-01T09:30:00.000Z', fingerprint: 'c0ffee', labels },
    annotations: { vexil_action: 'off' },
  };
  expect((await call('POST /alerts', { body: { version: '4', alerts: [alert] } })).status).toBe(200);

  const sdk = async (path: string, body?: string): Promise<number> => {
    const headers = { authorization: token, 'content-type': 'application/json' };
    const options = body === undefined ? { headers } : { method: 'POST', headers, body };
    const answer = await fetch(`${url}/api/client/${path}`, options);
    await answer.body?.cancel();
    return answer.status;
  };
  let rounds = 0;
  return {
    async round() {
      rounds += 1;
      const toggles = { checkout: { yes: 2, no: 1, variants: {} } };
      const [start, stop] = [new Date(Date.now() - 1000), new Date()];
      const report = { appName: 'shop', instanceId: 'shop-1', bucket: { start, stop, toggles } };
      expect(await sdk('features')).toBe(200);
      expect(await sdk('metrics', JSON.stringify(report))).toBe(202);
      await sdk('metrics', 'not JSON');
      const body = [{ op: 'replace', path: '/description', value: `round ${rounds}` }];
      expect((await call(`PATCH ${FLAG}`, { body })).status).toBe(200);
    },
    end() {
      for (const stream of streams) stream.close();
    },
  };
}

/** Creates a flag that is on, and the token of an SDK. */
async function prepare({ kubeconfig }: Cluster, home: string): Promise<string> {
  const flags = flagsDirectly(kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
  const production = { enabled: true, strategies: { all: { name: 'default' } } };
  await flags.apply('FeatureFlag', 'checkout', { project: 'shop', environments: { production } });
  flags.close();
  const tokens = tokensDirectly(kubeconfig, home);
  await tokens.create('backend', { type: 'client', environment: 'production' });
  const token = await tokens.untilReady('backend');
  tokens.close();
  return token;
}
