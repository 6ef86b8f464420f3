/**
 * etcd is restored from a backup: versions come again, with other content. Caches and history recover, and the history
 * records what the restore changed.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { entriesOfEvent } from '../../src/audit/publish/event.ts';
import type { Entry } from '../../src/domain/history/entry.ts';
import type { Call } from '../support/admin-client.ts';
import { type AuditStage, setAuditStage } from '../support/audit/stage.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { untilAdmitted } from '../support/control-plane/until-admitted.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import type { Replica } from '../support/replica.ts';
import type { Stored } from '../support/stored.ts';

const home = 'vexil-system';
/**
 * The number of versions, which is more than an API server makes while it starts. Otherwise the new history would be
 * past the old one already.
 */
const MEANWHILE = 600;
let plane: ControlPlane;
let stage: AuditStage;
let operator: Replica & { readonly call: Call };
/** The id of the last entry before this test. */
let last = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  await installDefinitions(plane);
  await plane.kubectlOrThrow(['create', 'namespace', home]);
  stage = await setAuditStage(plane, home);
  // The restore sets the lease of this operator back too, so that operators that start later need not wait for it.
  operator = await stage.startRecording({ VEXIL_LEADER_ELECTION: 'true' });
  await stage.patch('cedar', { description: 'before the backup' });
  await stage.untilAllIsRecorded();
  await stage.stopSeeing();
  await plane.saveStore();
  await untilAdmitted(stage.writer, stage.home);
  last = await lastId();
  await change();
  await untilRecorded(changed());
});
afterEach(async () => {
  last = await lastId();
});
afterAll(async () => {
  await stage?.clear('etcd is set back');
  await plane?.stop();
});

const lastId = async () => (await stage.entries()).at(-1)?.id ?? 0;

/** Makes the changes that the backup does not have. After each restore the same changes begin at the same versions. */
async function change(): Promise<void> {
  await plane.advance(MEANWHILE);
  await stage.patch('apple', { description: 'after the backup' });
  await stage.remove('delta');
  await stage.create('fig', { description: 'after the backup' });
}

const shortly = (entry: Entry) => {
  const [was, is] = [entry.preData, entry.data].map((data) => textOf(data?.['description']));
  return `${entry.featureName}: ${entry.type} by ${stage.authorOf(entry)}, ${was} → ${is}`;
};
const textOf = (text: unknown) => JSON.stringify(text ?? null);

const changed = () => [
  'apple: feature-metadata-updated by alice, "" → "after the backup"',
  'delta: feature-deleted by unknown, "" → null',
  'fig: feature-created by alice, null → "after the backup"',
  'fig: feature-strategy-add by alice, null → null',
];
const restore = [
  'apple: feature-metadata-updated by unknown, "after the backup" → ""',
  'delta: feature-created by unknown, null → ""',
  'delta: feature-strategy-add by unknown, null → null',
  'fig: feature-deleted by unknown, "after the backup" → null',
];

/** Resolves when exactly these entries were recorded since the last test, each once. Then they count as seen. */
async function untilRecorded(wanted: readonly string[]): Promise<readonly Entry[]> {
  let recorded: readonly Entry[] = [];
  await waitUntil({ what: 'all is recorded' }, async () => {
    recorded = (await stage.entries()).filter(({ id }) => id > last);
    return recorded.length >= wanted.length;
  }).catch(() => undefined);
  expect(recorded.map(shortly).toSorted()).toEqual([...wanted].toSorted());
  last = recorded.at(-1)?.id ?? last;
  return recorded;
}

async function untilShown(): Promise<void> {
  const descriptionOf = async (name: string) => {
    const { status, body } = await operator.call(`GET /projects/shop/features/${name}`);
    return status === 200 ? body.description : status;
  };
  await waitUntil({ what: 'the cache shows the backup' }, async () => {
    const shown = await Promise.all(['apple', 'cedar', 'delta', 'fig'].map(descriptionOf));
    return JSON.stringify(shown) === JSON.stringify(['', 'before the backup', '', 404]);
  });
}

const versionNow = async (): Promise<number> => {
  const args = ['get', '--raw', `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags?limit=1`];
  return Number(JSON.parse(await plane.kubectlOrThrow(args)).metadata.resourceVersion);
};

/** Makes versions until they are past the whole history that was lost. */
async function moveOn(): Promise<void> {
  await stage.patch('birch', { description: 'at once' });
  await plane.advance(2 * MEANWHILE);
  await stage.patch('birch', { description: 'after the restore' });
}

async function expectEventsOf(recorded: readonly Entry[]): Promise<void> {
  const args = ['get', 'events.events.k8s.io', '-n', home, '-l', 'vexil.dev/audit=1', '-o', 'json'];
  await waitUntil({ what: 'each entry has its Event' }, async () => {
    const { items }: Stored = JSON.parse(await plane.kubectlOrThrow(args));
    const keys = new Set(items.flatMap(entriesOfEvent).map(({ key }: Entry) => key));
    return recorded.every(({ key }) => keys.has(key));
  });
}

const isSaid = (message: string) => operator.lines.some((line) => line.includes(message));

interface Row {
  readonly isAway: boolean;
  readonly movesOn: boolean;
}

test.each<[string, Row]>([
  ['while the operator runs', { isAway: false, movesOn: false }],
  ['while no operator runs', { isAway: true, movesOn: false }],
  ['while no operator runs, and the cluster moves on past what the history knows', { isAway: true, movesOn: true }],
])(
  'etcd is restored %s: the changes of the restore are recorded once, and so is the same change made again',
  {
    timeout: 120_000,
  },
  async (_, { isAway, movesOn }) => {
    const versionBefore = await versionNow();
    if (isAway) await operator.stop();
    await plane.restoreStore();
    await untilAdmitted(stage.writer, stage.home);
    if (movesOn) await moveOn();
    expect(await versionNow()).toSatisfy((version: number) => version > versionBefore === movesOn);
    if (isAway) operator = await stage.start();

    await untilShown();
    const moved = 'birch: feature-metadata-updated by alice, "" → "after the restore"';
    const back = await untilRecorded([...restore, ...(movesOn ? [moved] : [])]);
    await change();
    const again = await untilRecorded(changed());
    await expectEventsOf([...back, ...again]);

    expect(isSaid('audit: cluster was restored from a backup, recorded the differences')).toBe(true);
    expect(await operator.metric(`vexil_audit_rewinds_total{scope="featureflags/${home}"}`)).toBe(1);
    const rewinds = await operator.metric(`vexil_watch_rewinds_total{kind="FeatureFlag",namespace="${home}"}`);
    expect(rewinds).toBe(isAway ? 0 : 1);
    const { total } = (await operator.call('GET /search/events?limit=1')).body;
    const keys = new Set((await stage.entries()).map(({ key }) => key));
    expect(keys.size).toBe((await stage.entries()).length);
    expect(total).toBeGreaterThanOrEqual(keys.size);
  },
);
