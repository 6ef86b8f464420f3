/** The apply that makes Vexil an additional owner of fields. */
import { expect, test } from 'vitest';
import { ClusterError } from '../../../../src/errors.ts';
import { claimFields } from '../../../../src/kube/write/claim-fields.ts';
import type { FieldOwner } from '../../../../src/model/object.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { anOwnedObject, anOwner } from '../../../support/owned-object.ts';

const fieldWithOwners = {};
const spec = {
  type: 'release',
  tags: ['simple:a', 'simple:b'],
  variants: [{ name: 'v' }],
  environments: {
    development: { enabled: false },
    production: { enabled: true, strategies: { a: { name: 'default', title: 't', parameters: { rollout: 5 } } } },
  },
};
const git = anOwner('git', { 'f:tags': { 'v:"simple:a"': fieldWithOwners, 'v:"simple:b"': fieldWithOwners } });

interface Outcome {
  readonly applied: readonly unknown[];
  readonly admitted: readonly unknown[];
}

/** Hands over the leaves with these paths. The first `conflicts` applications fail. */
async function handedOver(paths: readonly string[], owners: readonly FieldOwner[], conflicts = 0): Promise<Outcome> {
  const applied: unknown[] = [];
  const admitted: unknown[] = [];
  const object = anOwnedObject(spec, owners);
  await claimFields<object, object>(
    {
      kind: featureFlag,
      isProtected: () => true,
      live: async () => ({ object, lastApplied: undefined }),
      apply: async (_, part) => {
        applied.push(part);
        if (applied.length <= conflicts) throw new ClusterError('conflict', 'someone was faster');
        return object;
      },
    },
    {
      ref: object.metadata,
      choose: (fieldsWithOwners) => fieldsWithOwners.filter(({ text }) => paths.includes(text)),
      options: {
        admit: async (_, part) => {
          admitted.push(part);
        },
      },
    },
  );
  return { applied, admitted };
}

const ours = (fields: object, operation: FieldOwner['operation'] = 'Apply') => anOwner('vexil-api', fields, operation);
const enabledIn = (environment: string) => ({
  'f:environments': { [`f:${environment}`]: { '.': {}, 'f:enabled': fieldWithOwners } },
});

test.each<[string, readonly string[], readonly FieldOwner[], unknown]>([
  [
    'a switch, with the value that it has',
    ['spec.environments.production.enabled'],
    [],
    { environments: { production: { enabled: true } } },
  ],
  ['a list as a whole', ['spec.variants'], [], { variants: [{ name: 'v' }] }],
  ['one entry of a set', ['spec.tags["simple:b"]'], [git], { tags: ['simple:b'] }],
  [
    'a field of a strategy with the name, without which what is left of it would be refused',
    ['spec.environments.production.strategies.a.parameters.rollout'],
    [],
    { environments: { production: { strategies: { a: { name: 'default', parameters: { rollout: 5 } } } } } },
  ],
  [
    'with all that was applied before, which would be let go otherwise',
    ['spec.environments.production.enabled'],
    [ours(enabledIn('development'))],
    { environments: { production: { enabled: true }, development: { enabled: false } } },
  ],
  [
    'without what was applied before and is gone',
    ['spec.environments.production.enabled'],
    [ours({ ...enabledIn('staging'), 'f:description': fieldWithOwners })],
    { environments: { production: { enabled: true } } },
  ],
  [
    'a map that was applied before, without what others have put into it',
    ['spec.environments.production.enabled'],
    [ours({ 'f:environments': { 'f:development': {} } })],
    { environments: { production: { enabled: true }, development: {} } },
  ],
  [
    'without what was not applied but written',
    ['spec.environments.production.enabled'],
    [ours(enabledIn('development'), 'Update')],
    { environments: { production: { enabled: true } } },
  ],
])('%s', async (...[, paths, owners, want]) => {
  expect((await handedOver(paths, owners)).applied).toEqual([want]);
});

test('permission is required for wanted fields, and not for fields that Vexil already owns', async () => {
  const { admitted } = await handedOver(['spec.environments.production.enabled'], [ours(enabledIn('development'))]);
  expect(admitted).toEqual([{ environments: { production: { enabled: true } } }]);
});

test('without wanted fields nothing is applied', async () => {
  expect(await handedOver([], [ours(enabledIn('development'))])).toEqual({ applied: [], admitted: [] });
});

test('a concurrent write causes another attempt, a bounded number of times', async () => {
  expect((await handedOver(['spec.type'], [], 5)).applied).toHaveLength(6);
  await expect(handedOver(['spec.type'], [], 6)).rejects.toMatchObject({ code: 'conflict' });
});
