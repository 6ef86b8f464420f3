/** The events of the kinds whose objects are only created, changed and deleted; which steps need a comparison. */
import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../../../src/domain/history/entry.ts';
import type { CustomObject } from '../../../../src/model/object.ts';
import {
  CREATED,
  environmentObject,
  type Facts,
  flagObject,
  roleObject,
  segmentObject,
  strategyObject,
  tokenObject,
  userObject,
} from '../../domain/objects.ts';
import { auditEventsOf, inShort } from './derive-world.ts';

type AnyObject = CustomObject<unknown, unknown>;
const id = (given: number): Facts => ({ status: { id: given } });
const nowhere = { project: null, environment: null, featureName: null, tags: [], subject: '' };

interface Row {
  readonly resource: string;
  readonly before: AnyObject;
  readonly after: AnyObject;
  /** The types of the events of a creation, an update and a deletion. */
  readonly types: readonly [string, string, string];
  readonly old: object;
  readonly next: object;
  readonly place?: object;
}

const environment = { name: 'qa', displayName: 'qa', type: 'development', enabled: true, protected: false };
const user = {
  id: 7,
  name: null,
  username: 'ada',
  email: null,
  rootRole: 3,
  imageUrl: 'https://example.com/a.png',
  accountType: 'User',
  subjects: [],
};
const picture = { imageUrl: 'https://example.com/a.png' };
const role = { id: 6, name: 'tester', displayName: 'tester', type: 'project', description: '', permissions: [] };
const type = { name: 'beta', displayName: 'beta', description: '', parameters: [], editable: true, deprecated: false };
const token = {
  tokenName: 't',
  username: 't',
  type: 'client',
  project: 'shop',
  projects: ['shop'],
  environment: 'production',
  expiresAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  alias: null,
  description: '',
  user: null,
};
const segment = {
  id: 3,
  name: 'VIP',
  description: null,
  constraints: [],
  project: 'shop',
  createdAt: '2026-01-01T00:00:00.000Z',
};
const constraint = { contextName: 'age', operator: 'NUM_GT', value: '17' };
const personal = { ...token, type: 'personal', project: '*', projects: ['*'], environment: '*', user: 'ada' };

const rows: Readonly<Record<string, Row>> = {
  environment: {
    resource: 'environments',
    before: environmentObject('home/qa', { sortOrder: 1 }),
    after: environmentObject('home/qa', { sortOrder: 1, type: 'test', protected: true }),
    types: ['environment-created', 'environment-updated', 'environment-deleted'],
    old: { ...environment, sortOrder: 1 },
    next: { ...environment, sortOrder: 1, type: 'test', protected: true },
    place: { environment: 'qa' },
  },
  user: {
    resource: 'flagusers',
    before: userObject('home/ada', picture, id(7)),
    after: userObject(
      'home/ada',
      {
        ...picture,
        displayName: 'Ada',
        email: 'ada@example.com',
        rootRole: 'Editor',
        subjects: [{ kind: 'User', name: 'ada-k8s' }],
      },
      id(7),
    ),
    types: ['user-created', 'user-updated', 'user-deleted'],
    old: user,
    next: { ...user, name: 'Ada', email: 'ada@example.com', rootRole: 2, subjects: ['ada-k8s'] },
  },
  role: {
    resource: 'flagroles',
    before: roleObject('home/tester', {}, id(6)),
    after: roleObject(
      'home/tester',
      {
        type: 'root',
        description: 'd',
        permissions: [{ name: 'CREATE_FEATURE', environment: 'qa' }, { name: 'ADMIN' }],
      },
      id(6),
    ),
    types: ['role-created', 'role-updated', 'role-deleted'],
    old: role,
    next: {
      ...role,
      type: 'root',
      description: 'd',
      permissions: [
        { name: 'CREATE_FEATURE', environment: 'qa' },
        { name: 'ADMIN', environment: '*' },
      ],
    },
  },
  'strategy type': {
    resource: 'strategydefinitions',
    before: strategyObject('home/beta'),
    after: strategyObject('home/beta', { parameters: [{ name: 'p', required: true }] }),
    types: ['strategy-created', 'strategy-updated', 'strategy-deleted'],
    old: type,
    next: { ...type, parameters: [{ name: 'p', type: 'string', description: '', required: true }] },
  },
  segment: {
    resource: 'segments',
    before: segmentObject('home/s', { name: 'VIP', project: 'shop' }, id(3)),
    after: segmentObject(
      'home/s',
      { name: 'VIP', project: 'shop', description: 'd', constraints: [constraint] },
      id(3),
    ),
    types: ['segment-created', 'segment-updated', 'segment-deleted'],
    old: segment,
    next: { ...segment, description: 'd', constraints: [{ ...constraint, values: [] }] },
    place: { project: 'shop' },
  },
  'API token': {
    resource: 'apitokens',
    before: tokenObject('home/t', { projects: ['shop'] }),
    after: tokenObject('home/t', { projects: ['shop'], expiresAt: '2030-01-01T00:00:00Z', description: 'd' }),
    types: ['api-token-created', 'api-token-updated', 'api-token-deleted'],
    old: token,
    next: { ...token, expiresAt: '2030-01-01T00:00:00.000Z', description: 'd' },
    place: { environment: 'production' },
  },
  'personal token': {
    resource: 'apitokens',
    before: tokenObject('home/t', { type: 'personal', user: 'ada' }),
    after: tokenObject('home/t', { type: 'personal', user: 'ada', expiresAt: '2030-01-01T00:00:00Z' }),
    types: ['pat-created', 'api-token-updated', 'pat-deleted'],
    old: personal,
    next: { ...personal, expiresAt: '2030-01-01T00:00:00.000Z' },
  },
};

describe.each(Object.entries(rows))('an object of the kind %s', (_, { resource, types, place, ...row }) => {
  const [created, updated, deleted] = types;
  const { before, after, old, next } = row;
  const kind = auditEventsOf(resource);
  const where = { ...nowhere, ...place };

  test('that is new is recorded with its spec', () => {
    expect(kind.created(before)).toEqual([{ ...where, type: created, data: old, preData: null }]);
  });
  test('that changed is recorded with its spec before and after', () => {
    expect(kind.changed(before, after)).toEqual([{ ...where, type: updated, data: next, preData: old }]);
  });
  test('that is deleted is recorded with its last spec', () => {
    expect(kind.deleted(after)).toEqual([{ ...where, type: deleted, data: null, preData: next }]);
  });
  test('that is unchanged is not recorded', () => {
    expect(kind.changed(after, after)).toEqual([]);
  });
});

test('changes of a foreign resource are not recorded', () => {
  expect(auditEventsOf('pods').created(flagObject('home/f'))).toEqual([]);
});

test('an environment that is a clone names its source', () => {
  const clone = { from: 'production', projects: ['shop'] };
  expect(auditEventsOf('environments').created(environmentObject('home/qa', { clone }))[0]?.data).toEqual({
    ...environment,
    sortOrder: 9999,
    clone: { ...clone, permissions: true },
  });
});

describe('a strategy type', () => {
  const types = auditEventsOf('strategydefinitions');
  const plain = strategyObject('home/x', { name: 'beta' });
  const deprecated = strategyObject('home/x', { name: 'beta', deprecated: true });

  test.each([
    ['that is deprecated', plain, deprecated, 'strategy-deprecated'],
    ['that is not any more', deprecated, plain, 'strategy-reactivated'],
  ])('%s is recorded, and no update', (_, before, after, want) => {
    expect(types.changed(before, after)).toEqual([{ ...nowhere, type: want, data: { name: 'beta' }, preData: null }]);
  });

  test('with another change is updated, then deprecated', () => {
    const other = strategyObject('home/x', { name: 'beta', deprecated: true, description: 'd' });
    expect(types.changed(plain, other).map(inShort)).toEqual(['strategy-updated', 'strategy-deprecated']);
    expect(types.changed(plain, other)[0]).toMatchObject({
      data: { deprecated: true },
      preData: { deprecated: false },
    });
  });
});

describe('the later id of a new object', () => {
  test.each([
    ['user', 'flagusers', 'user-updated', userObject],
    ['role', 'flagroles', 'role-updated', roleObject],
    ['segment', 'segments', 'segment-updated', segmentObject],
  ])('is recorded for a %s', (_, resource, want, object) => {
    const [auditEvents, ...more] = auditEventsOf(resource).changed(object('home/x'), object('home/x', {}, id(12)));
    expect(more).toEqual([]);
    expect(auditEvents).toMatchObject({ type: want, data: { id: 12 }, preData: { id: null } });
  });
});

describe('fields that are not on the wire are recorded with the stored spec', () => {
  test('of an environment', () => {
    const [auditEvents] = auditEventsOf('environments').changed(
      environmentObject('home/qa'),
      environmentObject('home/qa', { enabled: true }),
    );
    expect(auditEvents).toMatchObject({
      type: 'environment-updated',
      data: { spec: { enabled: true } },
      preData: { spec: {} },
    });
  });

  test('of a token, but never the place of its value', () => {
    const tokens = auditEventsOf('apitokens');
    const [here, there] = ['here', 'there'].map((name) => ({ secretRef: { name: `secret-${name}` } }));
    const facts = { status: { sha256: 'a'.repeat(64), secretName: 'secret-here', seenAt: CREATED } };
    const before = tokenObject('home/t', { ...here }, facts);
    const auditEvents: readonly AuditEvent[] = [
      ...tokens.created(before),
      ...tokens.changed(before, tokenObject('home/t', { ...there })),
      ...tokens.changed(before, tokenObject('home/t', { ...there, projects: null, name: 't' })),
      ...tokens.deleted(before),
    ];
    expect(auditEvents.map(({ type: auditEvents }) => auditEvents)).toEqual([
      'api-token-created',
      'api-token-updated',
      'api-token-deleted',
    ]);
    expect(auditEvents[1]?.data).toMatchObject({ spec: { type: 'client', environment: 'production', name: 't' } });
    expect(JSON.stringify(auditEvents)).not.toMatch(/secret|sha256|aaaa|seenAt/i);
  });
});
