/** The actor of an entry, for each way to authenticate. */
import { expect, test } from 'vitest';
import { actorOf } from '../../../../src/audit/derive/actor.ts';
import type { Authorship } from '../../../../src/audit/derive/authorship.ts';
import type { Via } from '../../../../src/schema/stamp.ts';
import { catalog } from './derive-world.ts';

const ada = { createdBy: 'ada@example.com', createdByUserId: 7 };
const bob = { createdBy: 'bob', createdByUserId: 8 };
const unknownActor = (createdBy: string) => ({ createdBy, createdByUserId: -1 });
const token = (createdBy: string) => ({ createdBy, createdByUserId: -42 });

const through = (via: Via | undefined, name: string, from?: string): Authorship => ({ by: 'author', name, via, from });

const rows: readonly { name: string; authorship: Authorship; want: object }[] = [
  { name: 'nobody asked who called', authorship: through('anonymous', 'unknown'), want: unknownActor('unknown') },
  {
    name: 'the bootstrap token is an admin token',
    authorship: through('bootstrap-token', 'bootstrap-token'),
    want: token('bootstrap-token'),
  },
  { name: 'an admin token has its name', authorship: through('api-token', 'ci'), want: token('ci') },
  { name: 'a token is no user of that name', authorship: through('api-token', 'ada'), want: token('ada') },
  { name: 'a personal token is its user', authorship: through('personal-token', 'ada'), want: ada },
  { name: 'a user without address has the username', authorship: through('personal-token', 'bob'), want: bob },
  { name: 'a deleted user has the name', authorship: through('personal-token', 'eve'), want: unknownActor('eve') },
  {
    name: 'an identity of a user is that user, by a token',
    authorship: through('kubernetes-token', 'ada-k8s'),
    want: ada,
  },
  { name: 'an identity of a user is that user, by single sign-on', authorship: through('oidc', 'ada-k8s'), want: ada },
  { name: 'an identity of a user is that user, by kubectl', authorship: through(undefined, 'ada-k8s'), want: ada },
  { name: 'an identity is no username', authorship: through(undefined, 'ada'), want: unknownActor('ada') },
  {
    name: 'an identity without a user has its Kubernetes name',
    authorship: through('kubernetes-token', 'system:serviceaccount:ci:bot'),
    want: unknownActor('system:serviceaccount:ci:bot'),
  },
  { name: 'who asked for a clone by kubectl', authorship: through('environment-clone', 'ada-k8s'), want: ada },
  { name: 'who asked for a clone by a personal token', authorship: through('environment-clone', 'bob'), want: bob },
  { name: 'a token that asked for a clone', authorship: through('environment-clone', 'ci'), want: unknownActor('ci') },
  {
    name: 'a program has its field manager',
    authorship: { by: 'field-manager', name: 'field manager helm' },
    want: unknownActor('field manager helm'),
  },
  { name: 'nobody known', authorship: { by: 'unknown' }, want: unknownActor('unknown') },
  {
    name: 'Vexil itself',
    authorship: { by: 'vexil' },
    want: { createdBy: 'unleash_system_user', createdByUserId: -1337 },
  },
  {
    name: 'Vexil itself, where it removed an object',
    authorship: through('retention', 'ada'),
    want: { createdBy: 'unleash_system_user', createdByUserId: -1337, channel: null },
  },
];
test.each(rows)('$name', ({ authorship, want }) => {
  expect(actorOf(authorship, catalog)).toMatchObject({ ...want, ip: null });
});

const direct = { channel: 'kubernetes', fieldManager: 'kubectl-edit', reason: null };

test.each<[string, Authorship, object]>([
  [
    'the console',
    { ...through('oidc', 'ada-k8s'), channel: 'console', reason: 'Sale' } as Authorship,
    { channel: 'console', fieldManager: null, reason: 'Sale' },
  ],
  ['another client of the API', through('api-token', 'ci'), { channel: 'api', fieldManager: null, reason: null }],
  ['the API server, with the last field manager', through(undefined, 'ada-k8s'), direct],
  ['the API server without a stamp', { by: 'field-manager', name: 'field manager kubectl-edit' }, direct],
  ['either, for a clone', through('environment-clone', 'ci'), { channel: null, fieldManager: null }],
  ['nothing known', { by: 'unknown' }, { channel: null, fieldManager: null }],
])('a change came through %s', (_, authorship, want) => {
  expect(actorOf(authorship, catalog, ['kubectl-edit'])).toMatchObject(want);
});

test.each(['anonymous', 'api-token', 'kubernetes-token'] as const)('the address is kept, through %s', (via) => {
  expect(actorOf(through(via, 'x', '10.1.2.3'), catalog).ip).toBe('10.1.2.3');
});
