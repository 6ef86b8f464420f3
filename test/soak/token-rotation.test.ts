/** A token in a file that is rewritten while the operator runs, as the kubelet does in a pod. */
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FlagsDirectly, flagsDirectly } from '../support/fault-proxy/flags-directly.ts';
import { startBehindProxy, untilConverged } from '../support/fault-proxy/operator-behind-proxy.ts';
import { on, requestsFor } from '../support/fault-proxy/report.ts';
import { grantOperatorRoles, SERVICE_ACCOUNT } from '../support/operator-roles.ts';

const cluster = sharedCluster();
let home: string;
let granted: string;
let flags: FlagsDirectly;

beforeAll(async () => {
  home = await cluster.freshNamespace('token-rotation');
  granted = await grantOperatorRoles(cluster, home, []);
  flags = flagsDirectly(cluster.kubeconfig, home);
  await flags.apply('Environment', 'production', {});
  await flags.apply('Project', 'shop', {});
});

afterAll(() => flags.close());

/** Creates a token of the operator that becomes invalid with a Secret. */
async function tokenBoundTo(secret: string): Promise<string> {
  await cluster.kubectlOrThrow(['create', 'secret', 'generic', secret, '-n', home]);
  const bound = ['--bound-object-kind', 'Secret', '--bound-object-name', secret];
  return cluster.kubectlOrThrow(['create', 'token', SERVICE_ACCOUNT, '-n', home, ...bound]);
}

async function writeToken(file: string, token: string): Promise<void> {
  const next = `${file}.next`;
  await writeFile(next, token, { mode: 0o600 });
  await rename(next, file);
}

/** The operator's kubeconfig with another source of the token. */
async function kubeconfigWith(user: object): Promise<string> {
  const direct = parse(await readFile(granted, 'utf8'));
  const path = join(dirname(granted), `token-rotation-${randomUUID()}.kubeconfig`);
  await writeFile(path, stringify({ ...direct, users: [{ name: direct.users[0].name, user }] }), { mode: 0o600 });
  return path;
}

async function isRefused(token: string): Promise<boolean> {
  const { stderr } = await cluster.kubectl(['get', 'ff', '-n', home], { kubeconfig: await kubeconfigWith({ token }) });
  return stderr.includes('Unauthorized');
}

async function untilJudged(name: string): Promise<void> {
  await waitUntil({ what: `${name} is judged` }, async () => {
    const { metadata, status } = await flags.get(name);
    return status?.observedGeneration === metadata.generation;
  });
}

test.each<[string, (tokenFile: string) => object]>([
  ['named by a kubeconfig', (tokenFile) => ({ tokenFile })],
  // The client library makes this of the ServiceAccount inside a pod.
  ['of a pod', (tokenFile) => ({ 'auth-provider': { name: 'tokenFile', config: { tokenFile } } })],
])(
  'a token file %s is rewritten, the old token revoked: watches and writes continue with the new one',
  async (_, user) => {
    const name = `flag-${randomUUID()}`;
    const tokenFile = join(dirname(granted), `token-${randomUUID()}`);
    const first = await tokenBoundTo(`first-${name}`);
    await writeToken(tokenFile, first);
    const operator = await startBehindProxy({
      plane: cluster,
      kubeconfig: await kubeconfigWith(user(tokenFile)),
      home,
    });
    try {
      await operator.ready();
      await flags.apply('FeatureFlag', name, { project: 'shop' });
      await untilJudged(name);

      await writeToken(tokenFile, await tokenBoundTo(`second-${name}`));
      await cluster.deleteObject(`secret/first-${name}`, home);
      await waitUntil({ what: 'the first token is refused' }, () => isRefused(first.trim()));
      const seen = operator.proxy.reached.length;
      operator.proxy.drop();

      await flags.patch(name, { description: 'after' });
      await untilJudged(name);
      await untilConverged(operator, flags);
      const body = [{ op: 'replace', path: '/description', value: 'through the admin API' }];
      expect((await operator.call(`PATCH /projects/shop/features/${name}`, { body })).status).toBe(200);
      await waitUntil({ what: 'the lease is renewed' }, () =>
        operator.proxy.reached.slice(seen).some(on('leases', 'replace')),
      );
      const later = operator.proxy.reached.slice(seen);
      expect(later.some(on('featureflags', 'watch'))).toBe(true);
      expect(later.some(on('featureflags/status', 'patch'))).toBe(true);
      expect(await operator.metric('vexil_leader')).toBe(1);
      // One list of the cache and one of the history: both have continued where they were.
      expect(requestsFor(operator.proxy.arrived, 'featureflags', 'list', 'watch-list')).toHaveLength(2);
    } finally {
      await operator.stop('a token that is rotated');
    }
  },
);
