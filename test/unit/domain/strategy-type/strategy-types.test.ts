/** The parameters that strategies of each type need. */
import { expect, test } from 'vitest';
import { missingParameters, strategyTypesOf } from '../../../../src/domain/strategy-type/strategy-types.ts';
import { strategyObject } from '../objects.ts';

const parameters = [
  { name: 'countries', type: 'list', required: true },
  { name: 'hint' },
  { name: 'size', required: true },
];
const types = strategyTypesOf([
  strategyObject('home/own', { parameters }),
  strategyObject('home/x', { name: 'default' }),
]);

function missing(name: string, given: Record<string, unknown> | null | undefined): readonly string[] | undefined {
  const type = types.get(name);
  return type && missingParameters(type, given);
}

test.each<[string, string, Record<string, unknown> | null | undefined, string[]]>([
  ['nothing given', 'own', undefined, ['countries', 'size']],
  ['null given', 'own', null, ['countries', 'size']],
  ['one given', 'own', { countries: 'SE' }, ['size']],
  ['empty and null', 'own', { countries: '', size: null }, ['countries', 'size']],
  ['zero and false are values', 'own', { countries: false, size: 0 }, []],
  ['a member that every object has', 'own', { countries: 'SE', size: 1, toString: '' }, []],
  ['built-in types require none, though they call some so', 'flexibleRollout', {}, []],
])('%s', (_, name, given, want) => {
  expect(missing(name, given)).toEqual(want);
});

test('a definition cannot take the place of a built-in type', () => {
  expect(types.get('default')).toMatchObject({ builtIn: true, displayName: 'Standard' });
});

test('the built-in types have the parameters that clients know', () => {
  const recorded = [...types.values()]
    .filter(({ builtIn }) => builtIn)
    .map(
      ({ name, parameters: all }) =>
        `${name}: ${all.map((one) => `${one.name} ${one.type}${one.required ? '!' : ''}`)}`,
    );
  expect(recorded).toEqual([
    'default: ',
    'flexibleRollout: rollout percentage,stickiness string!,groupId string!',
    'userWithId: userIds list',
    'remoteAddress: IPs list!',
    'applicationHostname: hostNames list',
    'gradualRolloutUserId: percentage percentage,groupId string!',
    'gradualRolloutSessionId: percentage percentage,groupId string!',
    'gradualRolloutRandom: percentage percentage',
  ]);
});
