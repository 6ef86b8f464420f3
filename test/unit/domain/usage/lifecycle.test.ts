/** The stages of a flag. */
import { expect, test } from 'vitest';
import { lifecycleOf } from '../../../../src/domain/usage/lifecycle.ts';
import { asked, daysAgo, onFor, subject } from './subject.ts';

const inDevelopment = asked('development', { yes: [30, 0] });

test.each([
  ['initial, since it was created', subject({}), 'initial', 100],
  ['pre-live, since it was first asked for', subject({}, { usage: [inDevelopment] }), 'pre-live', 30],
  [
    'pre-live while it is off in production',
    subject({}, { usage: [asked('production', { no: [20, 0] })] }),
    'pre-live',
    20,
  ],
  [
    'live, since the first yes in production',
    subject({}, { usage: [inDevelopment, asked('production', { yes: [9, 5], no: [20, 0] })] }),
    'live',
    9,
  ],
  [
    'live with nothing but no, where it is on',
    subject(onFor(0), { usage: [asked('production', { no: [20, 0] })] }),
    'live',
    20,
  ],
  ['completed, by a person', subject({ stale: true }, { usage: [inDevelopment] }), 'completed', 100],
  ['archived', subject({ archived: true, stale: true }, { usage: [inDevelopment] }), 'archived', 100],
])('%s', (_, of, stage, days) => {
  expect(lifecycleOf(of)).toEqual({ stage, enteredAt: daysAgo(days) });
});

test('the archiving is at the last write of the owner of that field', () => {
  const { flag, ...of } = subject({ archived: true });
  const owner = (time: number, fields: string) => {
    return { manager: 'm', operation: 'Update', time: new Date(time).toISOString(), fields } as const;
  };
  const owners = [owner(daysAgo(7), '{"f:archived":{}}'), owner(daysAgo(1), '{"f:description":{}}')];
  expect(lifecycleOf({ ...of, flag: { ...flag, owners } })).toEqual({ stage: 'archived', enteredAt: daysAgo(7) });
});
