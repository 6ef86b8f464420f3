/** The health that kstatus, Argo CD and Flux compute for real objects of every kind in every state. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judged } from '../../src/domain/judgement/findings.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { ProblemReason } from '../../src/schema/condition.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { aFlag, aToken, type Manifest } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type FluxHealth, fluxIn } from '../support/health/flux.ts';
import { kstatusOf } from '../support/health/kstatus.ts';
import type { Prospect, State } from '../support/health/state.ts';
import { soundIn, statesIn } from '../support/health/states.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type ArgoCd, argoCd } from '../support/lua-argocd.ts';
import { expectSection } from '../support/page-section.ts';
import type { Stored } from '../support/stored.ts';

const PAGE = new URL('../../docs/health.md', import.meta.url);

let instance: Instance;
let home: string;
let transport: Transport;
let argo: ArgoCd;
let flux: (object: Stored) => Promise<FluxHealth>;

/** States by name. */
type Row = State & { readonly reason: ProblemReason };
const rowsIn = (place: string): readonly Row[] =>
  Object.entries(statesIn(place)).flatMap(([reason, states]) =>
    states.map((state) => ({ ...state, reason: reason as ProblemReason })),
  );
const objectOf = ({ objects }: State): Manifest => objects.at(-1) as Manifest;

const pluralOf = (kind: string) => kinds.find((one) => one.kind === kind)?.plural;
const pathOf = ({ apiVersion, kind, metadata }: Manifest, rest = '') =>
  `/apis/${apiVersion}/namespaces/${metadata.namespace}/${pluralOf(kind)}/${metadata.name}${rest}`;
const read = (manifest: Manifest): Promise<Stored> => transport.request({ method: 'GET', path: pathOf(manifest) });
const merge = (manifest: Manifest, body: object, rest = ''): Promise<Stored> =>
  transport.request({
    method: 'PATCH',
    path: pathOf(manifest, rest),
    contentType: 'application/merge-patch+json',
    body,
  });

/** Writes the status that the operator would write for this finding. */
async function report(
  manifest: Manifest,
  reason: ProblemReason,
  finding: NonNullable<State['finding']>,
): Promise<void> {
  const object = await read(manifest);
  const message = 'as a test says';
  const findings = [{ ...finding, reason, message }];
  const stale = { type: 'PotentiallyStale', status: 'True', reason, message } as const;
  const also = reason === 'LifetimeExceeded' ? [stale] : [];
  const status = judged({ object: { ...object, owners: [] }, findings, also, now: Date.now() });
  await merge(manifest, { status }, '/status');
}

const plain = (name: string, spec: Parameters<typeof aFlag>[1] = {}) => aFlag(`${home}/${name}`, spec);

beforeAll(async () => {
  instance = await startInstance('health');
  home = instance.home;
  transport = connect(loadKubeConfig(instance.cluster.kubeconfig));
  argo = await argoCd();
  flux = await fluxIn(instance.cluster, transport, home);

  const rows = rowsIn(home);
  await instance.apply(...rows.flatMap(({ objects }) => objects));
  await instance.apply(...['sound', 'changed', 'ending'].flatMap((name) => soundIn(home, name)));
  await instance.apply(plain('archived', { archived: true }), plain('stale', { stale: true }));
  for (const row of rows.filter(({ finding }) => !finding)) {
    await waitUntil({ what: `${row.what} says ${row.reason}` }, async () => {
      const { status } = await read(objectOf(row));
      return status.problems?.[0]?.reason === row.reason;
    });
  }
  for (const one of soundIn(home, 'sound')) {
    await waitUntil({ what: `the ${one.kind} is ready` }, async () => {
      return (await read(one)).status.conditions[0].status === 'True';
    });
  }

  // From here on no operator runs.
  await instance.stop();
  for (const row of rows) if (row.finding) await report(objectOf(row), row.reason, row.finding);
  for (const one of soundIn(home, 'new')) {
    await transport.request({ method: 'POST', path: pathOf(one).replace(/\/[^/]*$/, ''), body: one });
  }
  for (const one of soundIn(home, 'changed')) {
    await merge(one, { spec: changeOf(one.kind) });
  }
  for (const one of soundIn(home, 'ending')) {
    await merge(one, { metadata: { finalizers: ['example.com/waits'] } });
    await transport.request({ method: 'DELETE', path: pathOf(one) });
  }
});

afterAll(async () => {
  for (const one of soundIn(home, 'ending')) await merge(one, { metadata: { finalizers: null } });
  transport.close();
});

const changes: Readonly<Record<string, object>> = {
  Environment: { sortOrder: 7 },
  FlagUser: { displayName: 'changed' },
  ChangeRequest: { cancelled: true },
};
const changeOf = (kind: string) => changes[kind] ?? { description: 'changed' };

interface Healths {
  readonly kstatus: string;
  readonly argo: string;
  readonly flux: string;
}

async function healthsOf(manifest: Manifest): Promise<Healths> {
  const object = await read(manifest);
  const [{ status }, fromFlux] = await Promise.all([argo.health(object), flux(object)]);
  return { kstatus: kstatusOf(object), argo: status, flux: fromFlux };
}

/** The health that each tool must report; the page is made from the same results. */
const want: Readonly<Record<Prospect | 'new' | 'changed' | 'ending', Healths>> = {
  current: { kstatus: 'Current', argo: 'Healthy', flux: 'Current' },
  waits: { kstatus: 'InProgress', argo: 'Progressing', flux: 'InProgress' },
  failed: { kstatus: 'Failed', argo: 'Degraded', flux: 'Failed' },
  // kstatus treats an object without conditions like one of a kind that has no conditions.
  new: { kstatus: 'Current', argo: 'Progressing', flux: 'Unknown' },
  changed: { kstatus: 'InProgress', argo: 'Progressing', flux: 'InProgress' },
  ending: { kstatus: 'Terminating', argo: 'Progressing', flux: 'InProgress' },
};

describe.each(soundIn('', '').map(({ kind }) => kind))('a %s', (kind) => {
  const sound = (name: string) => soundIn(home, name).find((one) => one.kind === kind) as Manifest;

  test.each([
    ['in effect', 'sound', 'current'],
    ['that is not judged yet', 'new', 'new'],
    ['whose latest change is not judged yet', 'changed', 'changed'],
    ['that is being deleted', 'ending', 'ending'],
  ] as const)('%s', async (_, name, wanted) => {
    expect(await healthsOf(sound(name))).toEqual(want[wanted]);
  });
});

describe('reported as', () => {
  const rows = rowsIn('anywhere').map(({ what, reason, prospect }, index) => ({ what, reason, prospect, index }));

  test.each(rows)('$reason: $what', async ({ reason, prospect, index }) => {
    const manifest = objectOf(rowsIn(home)[index] as Row);
    expect(await healthsOf(manifest)).toEqual(want[prospect]);
    const object = await read(manifest);
    expect(object.status.problems[0].reason).toBe(reason);
    // Argo CD shows the message to its users.
    expect((await argo.health(object)).message).toContain(object.status.problems[0].message);
  });
});

test('a token that was seen before it was judged has a status, and is not ready', async () => {
  const seen = aToken(`${home}/seen`);
  await transport.request({ method: 'POST', path: pathOf(seen).replace(/\/[^/]*$/, ''), body: seen });
  await merge(seen, { status: { seenAt: '2026-01-01T00:00:00Z' } }, '/status');
  // kstatus cannot detect this; the expressions for Flux can.
  expect(await healthsOf(seen)).toEqual({ ...want.new, flux: 'InProgress' });
});

test.each([
  ['archived', 'archived'],
  ['stale', 'marked stale'],
])('a flag that is %s on purpose is healthy, and Argo CD shows it', async (name, message) => {
  expect(await healthsOf(plain(name))).toEqual(want.current);
  expect((await argo.health(await read(plain(name)))).message).toContain(message);
});

test('docs/health.md has the results', async () => {
  const lines = rowsIn('anywhere').map(({ what, reason, prospect }) => ({ reason, what, ...want[prospect] }));
  const cells = lines.map(({ reason, what, kstatus, argo: inArgo, flux: inFlux }) =>
    [`\`${reason}\``, what, kstatus, inFlux, inArgo].join(' | '),
  );
  const head = '| Reason | Of | kstatus | Flux | Argo CD |\n|---|---|---|---|---|';
  await expectSection(PAGE, 'reasons', [head, ...cells.toSorted().map((row) => `| ${row} |`)].join('\n'));
});
