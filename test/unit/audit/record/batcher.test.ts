/** The result of the frames of a watch: entries, states, and the position of the cursor. */
import { describe, expect, test } from 'vitest';
import type { ObjectState } from '../../../../src/audit/archive/archive.ts';
import { createDerivation } from '../../../../src/audit/derive/derive.ts';
import { historyShapes } from '../../../../src/audit/derive/shapes.ts';
import { type Checkpoint, foldWatchEvents } from '../../../../src/audit/record/batcher.ts';
import { fingerprintOf } from '../../../../src/audit/record/fingerprint.ts';
import type { HistoryNotice } from '../../../../src/audit/record/notice.ts';
import { snapshotOf } from '../../../../src/audit/record/snapshot.ts';
import type { Frame, RecordedObject } from '../../../../src/audit/record/watch-buffer.ts';
import { deletionStamp } from '../../../../src/domain/identity/author.ts';
import { auditMappings } from '../../../../src/kinds/registry.ts';
import type { RawObject } from '../../../../src/kube/object/raw-object.ts';
import { writtenAtOf } from '../../../../src/kube/object/written-at.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { stampKeys } from '../../../../src/schema/stamp.ts';

const SCOPE = 'featureflags/shop';
const CREATED = '2026-01-02T03:04:05Z';
const LATER = Date.parse('2026-01-02T04:00:00Z');
const noUsers = {
  userNamed: () => undefined,
  roleNamed: () => undefined,
  rootRoleOf: () => undefined,
  segmentNamed: () => undefined,
  changeRequest: () => undefined,
  targetOf: () => undefined,
};

interface Facts {
  readonly version: string;
  readonly generation?: number;
  readonly description?: string;
  readonly uid?: string;
}

function raw(name: string, { version, generation = 1, description = '', uid = `uid-${name}` }: Facts): RawObject {
  const metadata = { namespace: 'shop', name, uid, resourceVersion: version, generation };
  const annotations = { [stampKeys.by]: 'ada', [stampKeys.generation]: `${generation}` };
  return { metadata: { ...metadata, annotations, creationTimestamp: CREATED }, spec: { description } };
}

function state(name: string, facts: Facts): ObjectState {
  const { version, uid = `uid-${name}` } = facts;
  const object = raw(name, facts);
  const content = { version, fingerprint: fingerprintOf(object), object: snapshotOf(object) };
  return { uid, key: `shop/${name}`, scope: SCOPE, changedAt: 0, ...content };
}

function frame(reports: RecordedObject['reports'], name: string, facts: Facts): Frame {
  const { version, uid = `uid-${name}` } = facts;
  const object = raw(name, facts);
  const content = {
    version,
    fingerprint: fingerprintOf(object),
    writtenAt: writtenAtOf(object),
    notAfter: Number.POSITIVE_INFINITY,
    snapshot: snapshotOf(object),
  };
  return { ...now, reports, uid, key: `shop/${name}`, ...content };
}

const now = { at: 1_000, isLate: false };
const begin: Frame = { ...now, reports: 'begin', isRewritten: false };
const swap = (version: string): Frame => ({ ...now, reports: 'swap', version });

const { derive, deriveBare } = createDerivation(auditMappings(historyShapes(noUsers)), () => false);

/** `spoil` throws for the objects that must fail. */
async function judge(
  known: readonly ObjectState[],
  at: Partial<Checkpoint>,
  frames: readonly Frame[],
  spoil: (about: { readonly object: string | undefined }) => void = () => undefined,
) {
  const notices: HistoryNotice[] = [];
  const start = { version: '100', revision: 7, era: 0, seenAt: 900, reachedAt: 900, listing: undefined, gaps: 0 };
  const checkpoint: Checkpoint = { ...start, ...at };
  const { batch, checkpoint: next } = await foldWatchEvents(
    {
      kind: featureFlag,
      scope: SCOPE,
      archive: {
        states: async (uids) => new Map(known.filter(({ uid }) => uids.includes(uid)).map((one) => [one.uid, one])),
        knownIn: async () => known,
      },
      derive: (step) => {
        spoil({ object: (step.after ?? step.before)?.metadata.name });
        return derive(step);
      },
      deriveBare,
      people: { userNamed: () => undefined, userBySubject: () => undefined },
      onNotice: (notice) => notices.push(notice),
    },
    checkpoint,
    frames,
  );
  const auditEvents = batch.entries.map(
    ({ type, object, fromVersion, toVersion, coalesced }) =>
      `${type} ${object} ${fromVersion}→${toVersion}${coalesced ? ' coalesced' : ''}`,
  );
  return { batch, next, auditEvents, notices };
}

test('objects that exist when a kind is first read are known and not recorded; later ones are', async () => {
  const first = { version: '', revision: undefined };
  const { auditEvents, batch, next } = await judge([], first, [
    begin,
    frame('listed', 'a', { version: '40' }),
    swap('50'),
    frame('applied', 'b', { version: '51' }),
  ]);
  expect(auditEvents).toEqual(['feature-created b →51']);
  expect(batch.states.map(({ key, version }) => [key, version])).toEqual([
    ['shop/a', '40'],
    ['shop/b', '51'],
  ]);
  expect([batch.after, batch.version, next.revision]).toEqual([undefined, '51', 1]);
});

test('versions are kept of what exists at first, of changes of the spec, and of deletions', async () => {
  const first = { version: '', revision: undefined };
  const { batch } = await judge([], first, [
    begin,
    frame('listed', 'a', { version: '40' }),
    { ...swap('50'), at: 2_000 },
    frame('applied', 'a', { version: '51', generation: 2, description: 'new' }),
    frame('applied', 'a', { version: '52', generation: 2, description: 'new' }),
    frame('deleted', 'a', { version: '53', generation: 2, description: 'new' }),
  ]);
  expect(batch.completeSince).toBe(2_000);
  expect(batch.versions).toMatchObject([
    { uid: 'uid-a', resource: 'featureflags', generation: 1, earliestAt: 1_000, fromAt: 1_000, isDeleted: false },
    { uid: 'uid-a', generation: 2, isDeleted: false },
    { uid: 'uid-a', isDeleted: true },
  ]);
});

test('the cursor does not move until a list is complete', async () => {
  const listed = frame('listed', 'a', { version: '140', generation: 2, description: 'new' });
  const { batch, auditEvents } = await judge([state('a', { version: '90' })], {}, [begin, listed]);
  expect([batch.version, batch.after]).toEqual(['100', 7]);
  expect(auditEvents).toEqual(['feature-metadata-updated a 90→140']);
});

test('an object that is missing in a list is recorded when the list is complete, and its namesake after it', async () => {
  const known = [state('a', { version: '90' }), state('b', { version: '91' })];
  const { auditEvents, batch } = await judge(known, {}, [
    begin,
    frame('listed', 'b', { version: '120', uid: 'another' }),
    swap('130'),
  ]);
  expect(auditEvents).toEqual([
    'feature-deleted b 91→91 coalesced',
    'feature-created b →120',
    'feature-deleted a 90→90 coalesced',
  ]);
  expect([batch.gone.toSorted(), batch.version]).toEqual([['uid-a', 'uid-b'], '130']);
});

test('a repeated frame is not recorded again, and a status change is no step', async () => {
  const known = [state('a', { version: '110', generation: 2, description: 'new' })];
  const again = frame('applied', 'a', { version: '110', generation: 2, description: 'new' });
  const ofStatus = frame('applied', 'a', { version: '112', generation: 2, description: 'new' });
  const { auditEvents, batch } = await judge(known, {}, [again, ofStatus]);
  expect([auditEvents, batch.states, batch.version]).toEqual([[], [], '112']);
});

test('after a restored backup, where versions are lower than those that are known, changes are recorded as usual', async () => {
  const { auditEvents, batch } = await judge([state('a', { version: '90' })], {}, [
    begin,
    frame('listed', 'a', { version: '40' }),
    swap('50'),
    frame('applied', 'a', { version: '60', generation: 2, description: 'new' }),
  ]);
  expect(auditEvents).toEqual(['feature-metadata-updated a 40→60']);
  expect(batch.version).toBe('60');
});

const rewritten: Frame = { ...now, reports: 'begin', isRewritten: true };

test('what a restored backup brings back is recorded with an unknown author, now; the same step after it has another key', async () => {
  const first = frame('applied', 'a', { version: '110', generation: 2, description: 'new' });
  const before = await judge([state('a', { version: '90' })], {}, [first]);
  const known = [state('a', { version: '110', generation: 2, description: 'new' })];
  const { auditEvents, batch, next } = await judge(known, { seenAt: LATER }, [
    rewritten,
    frame('listed', 'a', { version: '90' }),
    swap('95'),
    first,
  ]);
  expect(auditEvents).toEqual(['feature-metadata-updated a 110→90 coalesced', 'feature-metadata-updated a 90→110']);
  expect(batch.entries[0]).toMatchObject({ createdBy: 'unknown', createdAt: 1_000 });
  expect(batch.entries[1]).toMatchObject({ createdBy: 'ada' });
  const keys = [...before.batch.entries, ...batch.entries].map(({ key }) => key);
  expect(new Set(keys).size).toBe(3);
  expect([batch.version, batch.era, next.era]).toEqual(['110', 1, 1]);
});

test('an object that a restored backup contains again is recorded as created again, not as the first version', async () => {
  const first = await judge([], {}, [frame('applied', 'a', { version: '110' })]);
  const { auditEvents, batch } = await judge([], { seenAt: LATER }, [
    rewritten,
    frame('listed', 'a', { version: '110' }),
    swap('115'),
  ]);
  expect(auditEvents).toEqual(['feature-created a →110']);
  expect(batch.entries[0]?.key).not.toBe(first.batch.entries[0]?.key);
});

test('a write after everything had been seen has its author, also if the history was rewritten', async () => {
  const known = [state('a', { version: '90', description: 'old' })];
  const { batch } = await judge(known, { seenAt: Date.parse(CREATED) - 1 }, [
    rewritten,
    frame('listed', 'a', { version: '93', description: 'other' }),
  ]);
  expect(batch.entries).toMatchObject([{ createdBy: 'ada' }]);
});

test.each([
  ['the same version', '90'],
  ['the same generation', '93'],
])('in a history that was rewritten %s may be of something else', async (_, version) => {
  const { auditEvents } = await judge([state('a', { version: '90', description: 'old' })], {}, [
    rewritten,
    frame('listed', 'a', { version, description: 'other' }),
    swap('95'),
  ]);
  expect(auditEvents).toEqual([`feature-metadata-updated a 90→${version} coalesced`]);
});

test('a list that broke off, and begins again, still belongs to a rewritten history', async () => {
  const known = [state('a', { version: '90', description: 'old' })];
  const part = await judge(known, {}, [rewritten]);
  const { auditEvents, next } = await judge(known, part.next, [
    begin,
    frame('listed', 'a', { version: '90', description: 'other' }),
    swap('95'),
  ]);
  expect([auditEvents, next.era]).toEqual([['feature-metadata-updated a 90→90 coalesced'], 1]);
});

test('an older version in a list reveals a restored backup, also if its versions continue from above', async () => {
  const known = [state('a', { version: '90' }), state('b', { version: '91', description: 'old' })];
  const { auditEvents, next } = await judge(known, {}, [
    begin,
    frame('listed', 'a', { version: '40' }),
    frame('listed', 'b', { version: '91', description: 'other' }),
    swap('1000'),
  ]);
  expect([auditEvents, next.era, next.version]).toEqual([['feature-metadata-updated b 91→91 coalesced'], 1, '1000']);
});

test('an ordinary list begins no new era', async () => {
  const { batch } = await judge([state('a', { version: '90' })], {}, [
    begin,
    frame('listed', 'a', { version: '90' }),
    swap('130'),
  ]);
  expect([batch.era, batch.entries, batch.states]).toEqual([0, [], []]);
});

test('a step that cannot be derived has an entry without content, with its author, and later steps are derived', async () => {
  const frames = [frame('applied', 'a', { version: '120' }), frame('applied', 'b', { version: '121' })];
  const { auditEvents, notices, batch } = await judge([], {}, frames, (auditEvents) => {
    if (auditEvents.object === 'a') throw new Error('nobody thought of this');
  });
  expect(auditEvents).toEqual(['feature-created a →120', 'feature-created b →121']);
  const place = { project: 'default', featureName: 'a', environment: null, tags: [] };
  expect(batch.entries[0]).toMatchObject({ ...place, data: null, preData: null, createdBy: 'ada', uid: 'uid-a' });
  expect(notices).toMatchObject([{ type: 'step-not-derived', resource: 'featureflags', key: 'shop/a' }]);
  expect(batch.states).toHaveLength(2);
});

describe('a deletion through the API that is recorded an hour late', () => {
  const HOUR_MS = 3_600_000;
  const deletedAt = Date.parse('2026-01-02T04:30:00.250Z');
  const stamp = deletionStamp({ name: 'ada', via: 'api-token', from: '10.1.2.3' }, deletedAt);
  const late = { at: deletedAt + HOUR_MS, isLate: true };
  const other: Frame = { ...frame('applied', 'b', { version: '110' }), ...late };
  const gone = (version: string): Frame => {
    const object = raw('a', { version });
    const annotations = { ...object.metadata.annotations, ...stamp };
    const snapshot = snapshotOf({ ...object, metadata: { ...object.metadata, annotations } });
    return { ...frame('deleted', 'a', { version }), ...late, snapshot } as Frame;
  };
  const checkpoint = { seenAt: deletedAt - 5_000, reachedAt: deletedAt - 5_000 };
  const known = [state('a', { version: '90' })];

  test('has author, address and time of its stamp, whatever is recorded before it', async () => {
    const { batch, next } = await judge(known, checkpoint, [other, gone('112')]);
    const { createdBy, ip, createdAt, earliestAt } = batch.entries.at(-1) ?? {};
    expect([createdBy, ip, createdAt, earliestAt]).toEqual(['ada', '10.1.2.3', deletedAt, null]);
    expect(next.seenAt).toBe(checkpoint.seenAt);
  });

  test('has none of them with a stamp from long before the watch ended, and has bounds for its time', async () => {
    const seenAt = deletedAt + HOUR_MS / 2;
    const { batch } = await judge(known, { seenAt, reachedAt: seenAt }, [gone('112')]);
    const { createdBy, ip, createdAt, earliestAt } = batch.entries.at(-1) ?? {};
    expect([createdBy, ip, createdAt, earliestAt]).toEqual(['unknown', null, late.at, seenAt]);
  });

  test('is trusted for a process that was suspended, whose frames do not know that they are late', async () => {
    const now = { at: late.at, isLate: false };
    const frames = [{ ...other, ...now, writtenAt: deletedAt } as Frame, { ...gone('112'), ...now }];
    const { batch } = await judge(known, checkpoint, frames);
    expect(batch.entries.at(-1)).toMatchObject({ createdBy: 'ada', createdAt: deletedAt });
  });
});

test('an entry is not before the one that precedes it, also in another batch', async () => {
  const first = await judge([state('a', { version: '90' })], {}, [
    frame('applied', 'a', { version: '110', generation: 2, description: 'new' }),
  ]);
  expect(first.batch.states[0]?.changedAt).toBe(1_000);
  const second: Frame = { ...frame('applied', 'a', { version: '111', generation: 3 }), at: 1_500, isLate: true };
  const { batch } = await judge(first.batch.states, first.next, [second]);
  expect(batch.entries[0]?.createdAt).toBeGreaterThanOrEqual(1_000);
});

test('an underivable step is an edit or a deletion, depending on the object', async () => {
  const known = [state('a', { version: '90' }), state('b', { version: '91' })];
  const frames = [
    frame('applied', 'a', { version: '120', generation: 2 }),
    frame('deleted', 'b', { version: '121', generation: 2 }),
  ];
  const { auditEvents } = await judge(known, {}, frames, () => {
    throw new Error('nobody thought of this');
  });
  expect(auditEvents).toEqual(['feature-updated a 90→120', 'feature-deleted b 91→121']);
});

test('a state that an earlier version stored uncut is compared as it would be cut now', async () => {
  const deep = (inner: number) => JSON.parse(`${'{"a":'.repeat(3_000)}${inner}${'}'.repeat(3_000)}`);
  const withDeep = (version: string, generation: number, inner: number) => {
    const strategies = { odd: { name: 'default', parameters: { zz: deep(inner) } } };
    return { ...raw('a', { version, generation }), spec: { environments: { production: { strategies } } } };
  };
  const before = { ...state('a', { version: '90' }), object: JSON.stringify(withDeep('90', 1, 1)) };
  const step = (inner: number): Frame => {
    const object = withDeep('120', 2, inner);
    const facts = { version: '120', generation: 2 };
    return {
      ...(frame('applied', 'a', facts) as RecordedObject),
      fingerprint: fingerprintOf(object),
      snapshot: snapshotOf(object),
    };
  };
  expect((await judge([before], {}, [step(1)])).auditEvents).toEqual([]);
  expect((await judge([before], {}, [step(2)])).auditEvents).toEqual(['feature-strategy-update a 90→120']);
});
