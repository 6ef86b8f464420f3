/** Specs of segments at both sides of each rule, pattern and bound. */
import { idRows } from './people-rows.ts';
import { fits, long, many, refused } from './spec-row.ts';

const constraint = { contextName: 'userId', operator: 'IN', values: ['1'] };

export const segmentRows = [
  fits('no spec', undefined),
  fits('spec: null', null),
  fits('a name with a space', { name: 'Beta users' }),
  refused('a name with a space at its end', { name: 'beta ' }, ['spec.name', 'printable characters']),
  refused('a name too long', { name: long(101) }, ['spec.name', '100']),
  fits('a project', { project: 'shop' }),
  refused('a project that no URL can have', { project: 'web shop' }, ['spec.project', 'must be URL friendly']),
  refused('a description too long', { description: long(4097) }, ['spec.description', '4096']),
  ...idRows(1),
  fits('constraints that are null', { constraints: null }),
  fits('thirty constraints', { constraints: many(30, () => constraint) }),
  refused('too many constraints', { constraints: many(31, () => constraint) }, ['spec.constraints', '30']),
  refused('a constraint without values', { constraints: [{ contextName: 'userId', operator: 'IN' }] }, [
    'spec.constraints[0]',
    'need at least one entry in values',
  ]),
  refused('a constraint with an unknown operator', { constraints: [{ ...constraint, operator: 'EQUALS' }] }, [
    'spec.constraints[0].operator',
    'Unsupported value',
  ]),
];
