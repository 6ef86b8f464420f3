import { expect, test } from 'vitest';
import { explanationText } from '../../../cli/flags/explanation-text.ts';
import { table } from '../../../cli/flags/table.ts';
import { planText } from '../../../cli/plan/plan-text.ts';
import { printable, printableLine } from '../../../cli/terminal.ts';

test('names of other authors cannot move the cursor of a terminal', () => {
  expect(printable('a\u001b[2Jb\u009bc\rd\n')).toBe('a?[2Jb?c?d\n');
  expect(printableLine('a\u001bb\nc')).toBe('a?b?c');
});

test('names of other authors cannot turn the direction of a line', () => {
  expect(printable('on\u202eoff\u2066\n')).toBe('on?off?\n');
  expect(printableLine('on\u202eoff\u200f')).toBe('on?off?');
});

test.each([
  ['##[error]x', '?#[error]x'],
  ['a ##vso[task.setvariable variable=x]y', 'a ?#vso[task.setvariable variable=x]y'],
  ['a\n  ::add-mask::x', 'a\n  ?:add-mask::x'],
  ['::error file=a::b', '?:error file=a::b'],
  ['::1 and fe80::1', '::1 and fe80::1'],
  ['## [x] # [y]', '## [x] # [y]'],
])('texts of others are no commands to a runner: %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(printable(printableLine(text))).toBe(shown.replace('\n', '?').replace('?  ?:', '?  ::'));
});

test('a plan has colours on request, and texts without control characters', () => {
  const changes = [{ path: 'spec.description', before: 'old', after: '\u001b[2J' }];
  const object = { kind: 'FeatureFlag', namespace: 'shop', name: 'search', action: 'change' } as const;
  const plan = { plans: [{ ...object, changes, conflicts: [], freezes: [] }], passedOver: 0 };
  expect(planText(plan, false)).toBe(
    'change FeatureFlag shop/search\n  ~ spec.description: "old" -> "\\u001b[2J"\n1 to change.\n',
  );
  const rejected = { ...object, name: 'a\u001b[2J', action: 'rejected', message: 'b\u009b\nc' } as const;
  expect(planText({ ...plan, plans: [{ ...rejected, changes: [], conflicts: [], freezes: [] }] }, false)).toBe(
    'rejected FeatureFlag shop/a?[2J\n  ! b??c\n1 rejected.\n',
  );
  expect(planText(plan, true)).toContain('\u001b[33mchange\u001b[39m FeatureFlag shop/search\n');
});

test('texts of others stay in their line of an explanation and of a table', () => {
  const odd = 'x\nIn production: on';
  expect(
    table([
      ['FIELD', 'MANAGER'],
      [`spec.parameters.${odd}`, 'kubectl'],
    ]),
  ).toBe('FIELD                                 MANAGER\nspec.parameters.x?In production: on   kubectl\n');
  const text = explanationText({
    ...{ name: 'search', project: 'shop', object: 'shop/search', archived: false, judged: true, environments: [] },
    ...{ changedBy: 'ada', changedBecause: odd, source: { kind: 'Argo CD Application', name: odd, revision: odd } },
    problems: [{ severity: 'Warning', path: odd, reason: 'UnreadablePayload', message: odd }],
  });
  expect(text.split('\n').filter((line) => line.startsWith('In production'))).toEqual([]);
});
