/** The report of a comparison as people read it. */
import { expect, test } from 'vitest';
import { compareText } from '../../../../cli/compare/report.ts';

const coverage = { size: 3, missing: () => [], isReached: () => true, take: () => undefined };
const report = {
  addresses: ['http://a', 'http://b'],
  environments: ['production'],
  ...{ flags: 2, contexts: 10, frontends: 1, coverage, differences: [], doubts: [] },
};

test('that nothing differs is said with what was seen', () => {
  expect(compareText(report)).toBe(
    'A is http://a, B is http://b\n2 flags, 10 contexts, 1 environment, 1 frontend: no flag differs; 3 of 3 branches reached\n',
  );
});

test('a difference has its users with both answers and reasons, in one line each', () => {
  const users = [{ context: { userId: 'a\nb' }, a: 'on', b: 'off', whyA: 'for all', whyB: 'the flag is off' }];
  const difference = { environment: 'production', flag: 'f', where: 'document', count: 1, users } as const;
  expect(compareText({ ...report, differences: [difference] }).split('\n')).toEqual([
    'A is http://a, B is http://b',
    'f in production, SDKs: 1 context differs',
    '  {"userId":"a\\nb"}',
    '    A: on (for all)',
    '    B: off (the flag is off)',
    '2 flags, 10 contexts, 1 environment, 1 frontend: 1 flag differs; 3 of 3 branches reached',
    '',
  ]);
});
