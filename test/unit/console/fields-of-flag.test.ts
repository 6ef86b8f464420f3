/** The context fields that Evaluate asks for. */
import { expect, test } from 'vitest';
import { fieldsOfFlag } from '../../../console/src/playground/fields-of-flag.ts';

type Environment = Parameters<typeof fieldsOfFlag>[0]['environments'][number];
type Strategy = Environment['strategies'][number];

const more = { id: 'a', title: null, disabled: false, sortOrder: 0, segments: [], variants: [] };
const strategy = (name: string, parameters: object = {}, constraints: readonly object[] = []): Strategy =>
  ({ ...more, name, parameters, constraints }) as unknown as Strategy;
const constraint = (contextName: string, values: readonly string[] = []) => ({ contextName, operator: 'IN', values });

test.each<[string, readonly Strategy[], readonly (readonly [string, string])[]]>([
  ['the user, if the rules name none', [strategy('default')], [['userId', '']]],
  ['those of constraints', [strategy('default', {}, [constraint('country', ['SE', 'NO'])])], [['country', 'SE']]],
  ['the stickiness', [strategy('flexibleRollout', { stickiness: 'sessionId' })], [['sessionId', '']]],
  ['the user for the default stickiness', [strategy('flexibleRollout', { stickiness: 'default' })], [['userId', '']]],
  ['the user of a list', [strategy('userWithId', { userIds: ' ada, bob' })], [['userId', 'ada']]],
  ['those of segments', [{ ...strategy('default'), segments: [7] }], [['plan', 'gold']]],
  [
    'each once, but not the environment',
    [strategy('default', {}, [constraint('environment', ['x']), constraint('a'), constraint('a', ['1'])])],
    [['a', '1']],
  ],
])('are %s', (_, strategies, want) => {
  const segments = [{ id: 7, constraints: [constraint('plan', ['gold'])] }] as never;
  const fields = fieldsOfFlag({ environments: [{ strategies: [...strategies] }], segments });
  expect(fields.map(({ name, example }) => [name, example])).toEqual(want);
});
