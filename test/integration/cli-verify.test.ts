/** history verify, as a process against a running operator that signs, and its archive. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { mountSecret } from '../support/certificate.ts';
import { vexil } from '../support/command-line.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { untilVersionsAreKept } from '../support/in-next-second.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';
import { startApp } from '../support/running-app.ts';
import type { Stored } from '../support/stored.ts';

const BOOTSTRAP = `*:*.${'5e'.repeat(28)}`;
let instance: RecordingInstance;
let secret: Awaited<ReturnType<typeof mountSecret>>;
let folder: string;

/** Makes a key; returns the file of its public key. */
async function makeKey(name: string): Promise<{ readonly pem: string; readonly publicFile: string }> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const publicFile = join(folder, `${name}.pub`);
  await writeFile(publicFile, publicKey.export({ type: 'spki', format: 'pem' }));
  return { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), publicFile };
}
let first: Awaited<ReturnType<typeof makeKey>>;

const verify = (...args: readonly string[]) =>
  vexil(['history', 'verify', ...args], {
    environment: { VEXIL_SERVER: instance.url, VEXIL_TOKEN: BOOTSTRAP },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vexil-keys-'));
  first = await makeKey('first');
  secret = await mountSecret({ cert: '', key: first.pem });
  instance = await startRecordingInstance('cli-verify', {
    ...{ VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP },
    ...{ VEXIL_HISTORY_SIGNING_KEY_FILE: secret.keyFile, VEXIL_HISTORY_SIGNING_INTERVAL: '1s' },
  });
  const ask = adminClient(instance.url, { authorization: BOOTSTRAP });
  await untilVersionsAreKept(ask, 'shop');
  await instance.apply(aFlag(`${instance.home}/checkout`, {}));
  await waitUntil({ what: 'the flag has an entry' }, async () => {
    const { body } = await ask('GET /search/events?feature=IS:checkout');
    return body.total > 0;
  });
});
afterAll(async () => {
  await instance?.stop();
  await secret?.remove();
  await rm(folder, { recursive: true, force: true });
});

const readHeads = async () => {
  const { body } = await adminClient(instance.url, { authorization: BOOTSTRAP })('GET /history/heads?limit=1000');
  return body.heads as readonly { readonly n: number; readonly link: string; readonly key: string }[];
};

test('signed heads leave the database, and verify with the key of each', async () => {
  const [head] = await waitUntil({ what: 'a head is signed' }, async () => {
    const heads = await readHeads();
    return heads.length > 0 && heads;
  });
  const transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  const path = `/apis/events.k8s.io/v1/namespaces/${instance.home}/events`;
  const events = await waitUntil({ what: 'the head has an Event' }, async () => {
    const { items } = (await transport.request({ method: 'GET', path })) as { items: Stored[] };
    const found = items.filter(({ reason }) => reason === 'HistoryHeadSigned');
    return found.length > 0 && found;
  });
  transport.close();
  const published = events.map(({ metadata }) => JSON.parse(metadata.annotations['vexil.dev/audit-head']));
  expect(published).toContainEqual(head);
  expect(events[0]?.regarding).toMatchObject({ kind: 'Lease', name: 'vexil', apiVersion: 'coordination.k8s.io/v1' });
  expect(instance.log).toContainEqual(expect.objectContaining({ msg: 'audit chain: signed the head', ...head }));
  const metrics = await (await fetch(`${instance.opsUrl}/metrics`)).text();
  expect(metrics).toMatch(/^vexil_audit_signed_head [1-9]/m);
  expect(metrics).toMatch(/^vexil_audit_signing_overdue_seconds 0$/m);

  const second = await makeKey('second');
  await secret.swap({ cert: '', key: second.pem });
  await instance.apply(aFlag(`${instance.home}/after-rotation`, {}));
  await waitUntil({ what: 'a head is signed with the other key' }, async () => {
    const heads = await readHeads();
    return heads.some(({ key }) => key !== head?.key);
  });
  const both = await verify('--public-key', first.publicFile, '--public-key', second.publicFile);
  expect([both.code, both.stdout]).toEqual([0, expect.stringMatching(/\d+ signed heads, the last one at link \d+/)]);
  const one = await verify('--public-key', first.publicFile);
  expect([one.code, one.stdout]).toEqual([1, expect.stringContaining('key-unknown: the head at link')]);
  const none = await verify('--public-key', secret.keyFile);
  expect([none.code, none.stderr]).toEqual([64, expect.stringContaining('has a private key')]);
});

test('a wrong key stops the start with a sentence', async () => {
  const file = join(folder, 'wrong.pem');
  await writeFile(file, 'top secret');
  const settings = { KUBECONFIG: instance.kubeconfig, VEXIL_HISTORY_SIGNING_KEY_FILE: file };
  await expect(startApp(settings)).rejects.toMatchObject({
    message: expect.stringMatching(/^The file .*wrong\.pem of VEXIL_HISTORY_SIGNING_KEY_FILE holds no private key/),
  });
});

test('names what was altered, and what is cut off', async () => {
  const intact = await waitUntil({ what: 'all rows are linked' }, async () => {
    const { stdout } = await verify('--output', 'json');
    const verdict = JSON.parse(stdout);
    return verdict.links > 0 && verdict.waiting === 0 && verdict;
  });
  expect(intact).toMatchObject({ found: 0, findings: [] });
  const beyond = await verify('--head', `${intact.last.n + 1000}:${'a'.repeat(64)}`);
  expect([beyond.code, beyond.stdout]).toEqual([1, expect.stringContaining('its end was cut off')]);
  const database = new DatabaseSync(instance.archiveFile);
  database.exec("update entries set created_by = 'mallory' where feature_name = 'checkout'");
  database.close();
  const altered = await verify('--head', `${intact.last.n}:${intact.last.link}`);
  expect([altered.code, altered.stdout]).toEqual([1, expect.stringMatching(/altered: entry \d+ \(feature-.*checkout/)]);
  const wrong = await verify('--head', 'x');
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('64 hexadecimal digits')]);
});
