/** The condition Usage, and how rarely it changes. */
import { expect, test } from 'vitest';
import { presentUsageCondition, usageCondition } from '../../../../src/domain/usage/usage-condition.ts';
import { asked, daysAgo, onFor, rules, subject } from './subject.ts';

const inUse = [asked('development', { no: [3, 0] }), asked('production', { yes: [3, 0] })];
const before = (reason: string, daysBefore: number) => ({
  status: {
    conditions: [
      {
        type: 'Usage',
        status: 'True',
        reason,
        message: 'as before',
        lastTransitionTime: `${new Date(daysAgo(daysBefore)).toISOString().slice(0, 19)}Z`,
      },
    ],
  },
});

test.each([
  [
    'in use',
    subject({}, { usage: inUse }),
    'InUse',
    'Asked for in the last 24 hours: development by shop, web; production by shop, web',
  ],
  [
    'never asked for',
    subject({}),
    'NeverUsed',
    'Warning: no SDK has asked for the flag since 2026-02-21. Remove the flag, or check that the applications that use it report metrics.',
  ],
  [
    'not asked for any more',
    subject({}, { usage: [asked('production', { yes: [90, 40] })] }),
    'Unused',
    'Warning: no SDK has asked for the flag since 2026-04-22. Remove the flag: no application asks for it any more.',
  ],
  [
    'on for all',
    subject(onFor(100), { usage: [asked('production', { yes: [40, 0] })] }),
    'AlwaysOn',
    'Warning: only yes in production since 2026-04-22, and on for everyone. Remove the flag and keep the code behind it.',
  ],
  [
    'off for all',
    subject({}, { usage: [asked('production', { no: [40, 0] })] }),
    'AlwaysOff',
    'Warning: only no in production since 2026-04-22. Remove the flag and the code behind it.',
  ],
  [
    'archived',
    subject({ archived: true }, { usage: inUse }),
    'ArchivedInUse',
    'Warning: archived, and asked for in the last 24 hours: development by shop, web; production by shop, web. Remove the flag from these applications, or revive it.',
  ],
])('describes the use of a flag %s', (_, of, reason, message) => {
  expect(usageCondition(of, rules)).toEqual([{ type: 'Usage', status: 'True', reason, message }]);
});

test('has nothing about a parent without requests, nor about a flag that is too young', () => {
  expect(usageCondition(subject({}, { dependents: ['child'] }), rules)).toEqual([]);
  expect(usageCondition(subject({}, { creationTimestamp: '2026-05-30T00:00:00Z' }), rules)).toEqual([]);
});

test.each([
  ['the message of the same reason stays for a day', 'InUse', 0.9, 'as before'],
  [
    'and is replaced after it',
    'InUse',
    1.1,
    'Asked for in the last 24 hours: development by shop, web; production by shop, web',
  ],
  [
    'another reason is written at once',
    'NeverUsed',
    0.1,
    'Asked for in the last 24 hours: development by shop, web; production by shop, web',
  ],
])('%s', (_, reason, days, message) => {
  const [found] = usageCondition(subject({}, { usage: inUse, ...before(reason, days) }), rules);
  expect(found).toMatchObject({ reason: 'InUse', message });
});

test('has nothing about a request of an unknown application', () => {
  const usage = [{ ...asked('production', { yes: [3, 0] }), appNames: [] }];
  expect(usageCondition(subject({}, { usage }), rules)).toEqual([]);
});

test('names at most ten applications', () => {
  const appNames = Array.from({ length: 30 }, (_, number) => `app-${number + 10}`);
  const [found] = usageCondition(
    subject({}, { usage: [{ ...asked('production', { yes: [3, 0] }), appNames }] }),
    rules,
  );
  expect(found?.message).toMatch(/app-19 and 20 more$/);
});

test('is unchanged while nothing newer is known', () => {
  expect(presentUsageCondition(subject({}, before('Unused', 3)).flag)).toMatchObject([
    { reason: 'Unused', message: 'as before' },
  ]);
  expect(presentUsageCondition(subject({}, before('OfALaterVersion', 3)).flag)).toEqual([]);
});
