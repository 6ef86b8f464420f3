/** Specs of projects at both sides of each rule, pattern and bound; the same for environments. */
import { fits, long, many, manyKeys, refused, twoUnits } from './spec-row.ts';

export const projectRows = [
  fits('no spec', undefined),
  fits('spec: null', null),
  fits('everything that may be null is null', { environments: null, members: null, flagNaming: null }),
  fits('a member that is null', { members: { ada: null } }),
  refused('a name that is none', { name: 'a b' }, ['spec.name', 'URL friendly']),
  fits('the longest displayName', { displayName: twoUnits(200) }),
  refused('a displayName too long', { displayName: twoUnits(201) }, ['spec.displayName', '200']),
  refused('a description too long', { description: long(4097) }, ['spec.description', '4096']),
  refused('a defaultStickiness too long', { defaultStickiness: long(101) }, ['spec.defaultStickiness', '100']),
  fits('no environments', { environments: [] }),
  fits('thirty environments', { environments: many(30, (n) => `e${n}`) }),
  refused('too many environments', { environments: many(31, (n) => `e${n}`) }, ['spec.environments', '30']),
  refused('an environment twice', { environments: ['a', 'a'] }, ['spec.environments[1]', 'Duplicate value']),
  refused('an environment without a name', { environments: [''] }, ['spec.environments[0]', 'at least 1 chars']),
  refused('environments as a map', { environments: { a: {} } }, ['spec.environments', 'must be of type array']),
  fits('a thousand members', { members: manyKeys(1000, 'member') }),
  refused('too many members', { members: manyKeys(1001, 'member') }, ['spec.members', '1000']),
  refused('a role without a name', { members: { ada: '' } }, ['spec.members.ada', 'at least 1 chars']),
  refused('a role that is no text', { members: { ada: ['owner'] } }, ['spec.members.ada', 'must be of type string']),
  fits('a naming pattern with an example that matches', { flagNaming: { pattern: 'a+|b', example: 'aa' } }),
  fits('a naming pattern alone, even one that cannot be used: it is judged', { flagNaming: { pattern: '(' } }),
  refused('a naming without pattern', { flagNaming: { example: 'a' } }, ['spec.flagNaming.pattern', 'Required']),
  refused('an empty pattern', { flagNaming: { pattern: '' } }, ['spec.flagNaming.pattern', 'at least 1 chars']),
  refused('a pattern too long', { flagNaming: { pattern: long(201, 'a') } }, ['spec.flagNaming.pattern', '200']),
  refused('an example too long', { flagNaming: { pattern: 'a*', example: long(101, 'a') } }, [
    'spec.flagNaming.example',
    '100',
  ]),
  fits('managedFields TakeOver', { managedFields: 'TakeOver' }),
  refused('managedFields in lower case', { managedFields: 'takeover' }, [
    'spec.managedFields',
    /Unsupported.*TakeOver/,
  ]),
];

/** Only the API server refuses these: a stored pattern is judged, and its example does no harm. */
export const namingRows = [
  refused('an example that does not match', { flagNaming: { pattern: 'a+', example: 'b' } }, [
    'spec.flagNaming',
    'example must match pattern',
  ]),
  refused('an example that matches in part', { flagNaming: { pattern: 'a|b', example: 'ab' } }, [
    'spec.flagNaming',
    'example must match pattern',
  ]),
  refused('an example for a pattern that is none', { flagNaming: { pattern: '(?=a)', example: 'a' } }, [
    'spec.flagNaming',
    'pattern',
  ]),
];

export const environmentRows = [
  fits('no spec', undefined),
  fits('spec: null', null),
  refused('a name that is none', { name: '..' }, ['spec.name', 'URL friendly']),
  fits('any type', { type: 'canary' }),
  refused('an empty type', { type: '' }, ['spec.type', 'at least 1 chars']),
  refused('a type too long', { type: long(51) }, ['spec.type', '50']),
  refused('a displayName too long', { displayName: long(201) }, ['spec.displayName', '200']),
  refused('enabled as text', { enabled: 'true' }, ['spec.enabled', 'boolean']),
  refused('protected as a number', { protected: 1 }, ['spec.protected', 'boolean']),
  fits('sortOrder 0', { sortOrder: 0 }),
  refused('a negative sortOrder', { sortOrder: -1 }, ['spec.sortOrder', 'greater than or equal to 0']),
  refused('a sortOrder beyond', { sortOrder: 2147483648 }, ['spec.sortOrder', '2147483647']),
  refused('a sortOrder that is not whole', { sortOrder: 0.5 }, ['spec.sortOrder', 'integer']),
  fits('a clone without projects', { clone: { from: 'production' } }),
  fits('a clone of all there can be', {
    clone: { from: long(100), projects: many(200, (n) => `p${n}`), permissions: false },
  }),
  fits('a clone with projects: null', { clone: { from: 'production', projects: null } }),
  refused('a clone of nothing', { clone: { projects: ['shop'] } }, ['spec.clone.from', 'Required']),
  refused('a clone from a name that is none', { clone: { from: 'a b' } }, ['spec.clone.from', 'URL friendly']),
  refused('a clone of a project twice', { clone: { from: 'a', projects: ['b', 'b'] } }, [
    'spec.clone.projects[1]',
    'Duplicate value',
  ]),
  refused('a clone of too many projects', { clone: { from: 'a', projects: many(201, (n) => `p${n}`) } }, [
    'spec.clone.projects',
    '200',
  ]),
  refused('a clone of a project without a name', { clone: { from: 'a', projects: [''] } }, [
    'spec.clone.projects[0]',
    'at least 1 chars',
  ]),
  refused('clone.permissions as text', { clone: { from: 'a', permissions: 'yes' } }, [
    'spec.clone.permissions',
    'boolean',
  ]),
];
