/** The history of freezes: the begin and end of each, whenever the leader has seen it. */
import { expect, test } from 'vitest';
import type { Environment } from '../../../../src/schema/environment.ts';
import type { Freeze } from '../../../../src/schema/freeze.ts';
import { environmentObject } from '../../domain/objects.ts';
import { derive } from './derive-world.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const time = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
const freeze = (name: string, from: number, until: number): Freeze => ({ name, from: time(from), until: time(until) });
const freezes = [freeze('a', 10, 40), freeze('b', 20, 30)];

interface Version {
  readonly generation?: number;
  /** The minute in which the spec was written; `reached` is the minute in the status. */
  readonly written?: number;
  readonly reached?: number;
  readonly isJudged?: boolean;
  readonly freezes?: readonly Freeze[];
}

function version({ generation = 2, written = 0, reached, isJudged = true, ...rest }: Version): Environment {
  const status = {
    ...(isJudged && { observedGeneration: generation }),
    ...(reached !== undefined && { changedByTimeAt: time(reached) }),
  };
  const facts = { generation, status, creationTimestamp: time(-60) };
  const object = environmentObject('home/qa', { freezes: rest.freezes ?? freezes }, facts);
  return { ...object, owners: [{ manager: 'x', operation: 'Update', time: time(written), fields: '{}' }] };
}

const inShort = (before: Environment | undefined, after: Environment) =>
  derive({ resource: 'environments', before, after }).map(({ type, subject, moment }) =>
    moment ? `${subject} ${type.slice('environment-freeze-'.length)} ${(moment.at - NOON) / 60_000}` : type,
  );

const weekend: Freeze = { name: 'weekend', days: ['Sat', 'Sun'], from: '00:00', until: '24:00' };

test.each<[string, Version | undefined, Version, readonly string[]]>([
  ['the one that has just passed', {}, { reached: 10 }, ['a began 10']],
  ['nothing where none has passed', { reached: 10 }, { reached: 10 }, []],
  [
    'all that passed while there was no leader',
    {},
    { reached: 40 },
    ['a began 10', 'b began 20', 'b ended 30', 'a ended 40'],
  ],
  [
    'those of the spec before an edit, then the edit, then those of the spec after it',
    { reached: 10 },
    { generation: 3, written: 25, reached: 50, freezes: [freeze('c', 20, 50)] },
    ['b began 20', 'c ended 50', 'environment-updated'],
  ],
  [
    'of a new environment, those since it was created',
    undefined,
    { written: 15, reached: 20 },
    ['environment-created', 'b began 20'],
  ],
  ['none where no status says how far it is', { isJudged: false }, { isJudged: false }, []],
])('the history records %s', (_, before, after, want) => {
  expect(inShort(before && version(before), version(after))).toEqual(want);
});

test('weekly freezes are recorded for 90 days at most', () => {
  const [years, weekly] = [3 * 525_600, { freezes: [weekend] }];
  const found = inShort(version({ ...weekly, reached: -years }), version({ ...weekly, reached: -720 }));
  expect(found).toHaveLength(25);
});
