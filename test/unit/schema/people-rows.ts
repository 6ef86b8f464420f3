/** Specs of users, roles and strategy types at both sides of each rule, pattern and bound. */
import { fits, long, many, refused, type SpecRow, twoUnits } from './spec-row.ts';

const usernames: readonly (readonly [string, boolean])[] = [
  ['a', true],
  ['ada@example.com', true],
  ['Ada Ahlgren', true],
  ['Åsa', true],
  ["o'neill/ops:bot", true],
  [twoUnits(100), true],
  ['', false],
  [' ada', false],
  ['ada ', false],
  ['ada\u00a0', false],
  ['a\tb', false],
  ['a\nb', false],
  ['ada\u202e', false],
  ['a\u200bb', false],
  [long(101), false],
];

const usernameRows = usernames.map(([username, ok]) => {
  const title = `the username ${JSON.stringify(username)}`;
  return ok
    ? fits(title, { username })
    : refused(title, { username }, ['spec.username', /printable characters|at least 1 chars|Too long/]);
});

const addresses: readonly (readonly [string, boolean])[] = [
  ['ada@example.com', true],
  ['a@b', true],
  ['å.b+c@exämple.org', true],
  ['ada', false],
  ['@example.com', false],
  ['ada@', false],
  ['a@b@c', false],
  ['a da@example.com', false],
  ['', false],
];

const addressRows = addresses.map(([email, ok]) => {
  const title = `the address ${JSON.stringify(email)}`;
  return ok ? fits(title, { email }) : refused(title, { email }, ['spec.email', 'should match']);
});

export const idRows = (first: number): SpecRow[] => [
  fits('the lowest id', { id: first }),
  fits('the highest id', { id: 2_000_000_000 }),
  refused('an id that is built in or below', { id: first - 1 }, ['spec.id', `greater than or equal to ${first}`]),
  refused('an id beyond', { id: 2_000_000_001 }, ['spec.id', 'less than or equal to 2']),
  refused('an id that is not whole', { id: first + 0.5 }, ['spec.id', 'integer']),
  refused('an id as text', { id: '7' }, ['spec.id', 'integer']),
];

const user = { kind: 'User', name: 'ada' };
const robot = { kind: 'ServiceAccount', name: 'bot', namespace: 'ci' };

export const userRows = [
  fits('no spec', undefined),
  fits('spec: null', null),
  ...usernameRows,
  ...addressRows,
  refused('an address too long', { email: `a@${long(253)}` }, ['spec.email', '254']),
  ...idRows(1),
  refused('a displayName too long', { displayName: long(201) }, ['spec.displayName', '200']),
  fits('a picture', { imageUrl: 'https://example.com/a.png?s=42' }),
  refused('a picture that is code', { imageUrl: 'javascript:alert(1)' }, ['spec.imageUrl', 'should match']),
  refused('a picture too long', { imageUrl: `https://${long(493)}` }, ['spec.imageUrl', '500']),
  fits('a root role that may come later', { rootRole: 'auditor' }),
  refused('a root role without a name', { rootRole: '' }, ['spec.rootRole', 'at least 1 chars']),
  refused('a root role too long', { rootRole: long(101) }, ['spec.rootRole', '100']),
  fits('subjects that are null', { subjects: null }),
  fits('subjects of both kinds', { subjects: [user, robot] }),
  fits('twenty subjects', { subjects: many(20, (n) => ({ ...user, name: `u${n}` })) }),
  refused('too many subjects', { subjects: many(21, (n) => ({ ...user, name: `u${n}` })) }, ['spec.subjects', '20']),
  refused('a ServiceAccount without namespace', { subjects: [{ ...robot, namespace: undefined }] }, [
    'spec.subjects[0]',
    'a ServiceAccount needs a namespace',
  ]),
  refused('a User with a namespace', { subjects: [{ ...user, namespace: 'ci' }] }, [
    'spec.subjects[0]',
    'a User has none',
  ]),
  refused('a subject of another kind', { subjects: [{ ...user, kind: 'Group' }] }, [
    'spec.subjects[0].kind',
    /Unsupported.*ServiceAccount/,
  ]),
  refused('a subject without a name', { subjects: [{ kind: 'User' }] }, ['spec.subjects[0].name', 'Required']),
  refused('a subject with an empty name', { subjects: [{ ...user, name: '' }] }, [
    'spec.subjects[0].name',
    'at least 1 chars',
  ]),
];

const allows = (...permissions: readonly object[]) => ({ permissions });

export const roleRows = [
  fits('no spec', undefined),
  fits('spec: null', null),
  ...idRows(6),
  refused('a name that is none', { name: 'a b' }, ['spec.name', 'URL friendly']),
  fits('type root', { type: 'root' }),
  refused('another type', { type: 'custom' }, ['spec.type', /Unsupported.*project/]),
  refused('a displayName too long', { displayName: long(201) }, ['spec.displayName', '200']),
  refused('a description too long', { description: long(1001) }, ['spec.description', '1000']),
  fits('permissions that are null', { permissions: null }),
  fits(
    'a permission everywhere, one in an environment',
    allows(
      { name: 'CREATE_FEATURE' },
      {
        name: 'UPDATE_FEATURE_ENVIRONMENT',
        environment: 'production',
      },
    ),
  ),
  fits('300 permissions', allows(...many(300, (n) => ({ name: 'UPDATE_FEATURE', environment: `e${n}` })))),
  refused('too many permissions', allows(...many(301, () => ({ name: 'UPDATE_FEATURE' }))), [
    'spec.permissions',
    '300',
  ]),
  refused('a permission without a name', allows({ environment: 'production' }), [
    'spec.permissions[0].name',
    'Required',
  ]),
  refused('an environment too long', allows({ name: 'UPDATE_FEATURE', environment: long(101) }), [
    'spec.permissions[0].environment',
    '100',
  ]),
];

/** Only the API server refuses this: a stored permission of another version is judged. */
export const permissionRows = [
  refused('a permission that nobody knows', allows({ name: 'UPDATE_FEATRUE' }), [
    'spec.permissions[0].name',
    /Unsupported.*UPDATE_FEATURE/,
  ]),
];

const takes = (...parameters: readonly object[]) => ({ parameters });

export const strategyDefinitionRows = [
  fits('no spec', undefined),
  fits('spec: null', null),
  refused('a name that is none', { name: 'a b' }, ['spec.name', 'URL friendly']),
  refused('a displayName too long', { displayName: long(201) }, ['spec.displayName', '200']),
  refused('a description too long', { description: long(1001) }, ['spec.description', '1000']),
  refused('deprecated as text', { deprecated: 'yes' }, ['spec.deprecated', 'boolean']),
  fits('parameters that are null', { parameters: null }),
  fits(
    'a parameter of each type',
    takes(...['string', 'percentage', 'list', 'number', 'boolean'].map((type) => ({ name: type, type }))),
  ),
  fits('a parameter that says nothing but its name', takes({ name: 'IPs' })),
  fits('fifty parameters', takes(...many(50, (n) => ({ name: `p${n}` })))),
  refused('too many parameters', takes(...many(51, (n) => ({ name: `p${n}` }))), ['spec.parameters', '50']),
  refused('a parameter twice', takes({ name: 'a' }, { name: 'a', required: true }), [
    'spec.parameters[1]',
    'Duplicate value',
  ]),
  refused('a parameter of another type', takes({ name: 'a', type: 'date' }), [
    'spec.parameters[0].type',
    /Unsupported.*percentage/,
  ]),
  refused('a parameter without a name', takes({ type: 'list' }), ['spec.parameters[0].name', 'Required']),
  refused('a parameter with an empty name', takes({ name: '' }), ['spec.parameters[0].name', 'at least 1 chars']),
];

/** Rules that only the API server can check, because they need the name of the object. */
export const takenRoleNames = ['Admin', 'admin', 'EDITOR', 'Viewer', 'owner', 'Owner', 'member', 'Member'];
export const takenStrategyNames = [
  'default',
  'flexibleRollout',
  'FlexibleRollout',
  'userWithId',
  'remoteAddress',
  'applicationHostname',
];
