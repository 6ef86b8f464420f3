/** Specs of API tokens at both sides of each rule, pattern and bound. */
import { fits, long, many, refused, type SpecRow } from './spec-row.ts';

const client = { type: 'client', environment: 'production' };
const personal = { type: 'personal', user: 'ada@example.com' };

const times: readonly (readonly [string, boolean])[] = [
  ['2027-01-01T00:00:00Z', true],
  ['2027-01-01T00:00:00.123456789Z', true],
  ['2027-01-01T23:59:59+14:00', true],
  ['2027-01-01', false],
  ['2027-01-01T00:00:00', false],
  ['2027-13-01T00:00:00Z', false],
  ['2027-01-01T24:00:00Z', false],
  ['2027-01-01T00:00:00+99:00', false],
  ['2027-01-01T00:00:00x5Z', false],
  ['tomorrow', false],
];

const timeRows = times.map(([expiresAt, ok]): SpecRow => {
  const title = `the time ${expiresAt}`;
  return ok
    ? fits(title, { type: 'admin', expiresAt })
    : refused(title, { type: 'admin', expiresAt }, ['spec.expiresAt', /should match|date-time/]);
});

const notScoped = ['spec.environment', 'needs the environment that it is for, and others have none'] as const;
const noUser = ['spec.user', 'needs the user that it acts as, and others have none'] as const;

export const tokenRows = [
  refused('no type', {}, ['spec.type', 'Required']),
  refused('another type', { type: 'backend' }, ['spec.type', /Unsupported.*frontend/]),
  fits('an admin token', { type: 'admin' }),
  fits('a client token for all projects', client),
  fits('a client token for no list of projects', { ...client, projects: null }),
  fits('a frontend token for some projects', { ...client, type: 'frontend', projects: ['shop', 'pay'] }),
  fits('a client token for a hundred projects', { ...client, projects: many(100, (n) => `${n}-${long(96)}`) }),
  fits('a personal token', personal),
  refused('an admin token for an environment', { type: 'admin', environment: 'production' }, notScoped),
  refused('a personal token for an environment', { ...personal, environment: 'production' }, notScoped),
  refused('a client token without environment', { type: 'client' }, notScoped),
  refused('a frontend token without environment', { type: 'frontend' }, notScoped),
  refused('a client token for *', { type: 'client', environment: '*' }, ['spec.environment', 'is no environment']),
  refused('an environment that is no name', { type: 'client', environment: 'a:b' }, [
    'spec.environment',
    'URL friendly',
  ]),
  refused('an admin token for projects', { type: 'admin', projects: ['shop'] }, [
    'spec.projects',
    'only client and frontend tokens',
  ]),
  refused('a personal token for projects', { ...personal, projects: ['shop'] }, [
    'spec.projects',
    'only client and frontend tokens',
  ]),
  refused('no projects at all', { ...client, projects: [] }, ['spec.projects', 'leave it out for all projects']),
  refused('the project *', { ...client, projects: ['shop', '*'] }, ['spec.projects', 'leave it out for all projects']),
  refused('a project that is no name', { ...client, projects: ['a:b'] }, ['spec.projects[0]', 'URL friendly']),
  refused('a project twice', { ...client, projects: ['a', 'a'] }, ['spec.projects[1]', 'Duplicate value']),
  refused('too many projects', { ...client, projects: many(101, (n) => `p${n}`) }, ['spec.projects', '100']),
  refused('a personal token of nobody', { type: 'personal' }, noUser),
  refused('an admin token of a user', { type: 'admin', user: 'ada' }, noUser),
  refused('a client token of a user', { ...client, user: 'ada' }, noUser),
  fits('a name with spaces', { type: 'admin', name: 'CI of the shop' }),
  refused('a name that cannot be seen', { type: 'admin', name: 'a\u200b' }, ['spec.name', 'printable characters']),
  refused('a description too long', { type: 'admin', description: long(1001) }, ['spec.description', '1000']),
  ...timeRows,
  fits('a Secret', { type: 'admin', secretRef: { name: 'my.secret-1' } }),
  refused('a Secret without a name', { type: 'admin', secretRef: {} }, ['spec.secretRef.name', 'Required']),
  ...['..', '.', 'a/b', '../configmaps/a', 'A'].map((name) =>
    refused(`the Secret ${name}`, { type: 'admin', secretRef: { name } }, ['spec.secretRef.name', 'should match']),
  ),
];
