/** How findings are reported: order, bounds, times. */
import { describe, expect, test } from 'vitest';
import { type Finding, type JudgedParts, judged } from '../../../../src/domain/judgement/findings.ts';
import type { Condition } from '../../../../src/schema/condition.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';

const NOW = Date.parse('2026-01-02T03:04:05.678Z');

const anError = (path: readonly string[], reason: Finding['reason'] = 'InvalidSpec', message = 'm'): Finding => ({
  severity: 'Error',
  path,
  reason,
  message,
});
const aWarning = (path: readonly string[]): Finding => ({ ...anError(path, 'NoOwner'), severity: 'Warning' });

const anObject = (generation = 1, conditions: Condition[] = []): JudgedParts['object'] => {
  return { metadata: { generation }, owners: [], status: { conditions } };
};

function report(findings: readonly Finding[], more: Partial<JudgedParts> = {}) {
  return judged({ object: anObject(), findings, now: NOW, ...more });
}

describe('order', () => {
  const found = [
    aWarning(['a']),
    anError(['b'], 'ProjectNotFound'),
    anError(['z'], 'InvalidSpec'),
    anError(['c'], 'NameConflict'),
    anError(['c'], 'InvalidSpec'),
  ];
  const want = [
    'InvalidSpec spec.c',
    'NameConflict spec.c',
    'InvalidSpec spec.z',
    'ProjectNotFound spec.b',
    'NoOwner spec.a',
  ];
  const shown = (findings: readonly Finding[]) => report(findings).problems?.map((one) => `${one.reason} ${one.path}`);

  test('is own mistakes, then missing objects, then warnings; by place, then by reason', () => {
    expect(shown(found)).toEqual(want);
  });

  test('is independent of the order in which they were found', () => {
    expect(shown(found.toReversed())).toEqual(want);
  });

  test('is the same for equal places and reasons', () => {
    const twins = ['moon', 'mars'].map((name) => anError(['environments'], 'EnvironmentNotFound', `no ${name}`));
    expect(report(twins)).toEqual(report(twins.toReversed()));
  });
});

describe('text', () => {
  test.each([
    [['environments', 'production', 'enabled'], 'spec.environments.production.enabled'],
    [['environments', 'eu.west', 'enabled'], 'spec.environments[eu.west].enabled'],
    [['members', 'ada@example.com'], 'spec.members[ada@example.com]'],
    [[], 'spec'],
  ])('the path %j is %s', (path, want) => {
    expect(report([anError(path)]).problems?.[0]?.path).toBe(want);
  });

  test('the message of Ready is the first problem, with the number of further errors', () => {
    const { conditions } = report([anError(['b']), anError(['a']), aWarning(['c'])]);
    expect(conditions[0]?.message).toBe('spec.a: m (and 1 more, see status.problems)');
    expect(report([anError(['a']), aWarning(['c'])]).conditions[0]?.message).toBe('spec.a: m');
  });
});

describe('bounds', () => {
  const many = Array.from({ length: 300 }, (_, index) => anError([`k${String(index).padStart(3, '0')}`]));

  test('the first hundred problems are listed, with the total number', () => {
    const { problems, conditions } = report(many);
    expect(problems).toHaveLength(100);
    expect(problems?.[99]?.path).toBe('spec.k099');
    expect(conditions[0]?.message).toContain('and 299 more');
  });

  test.each([
    ['letters', 'x'.repeat(5000)],
    ['characters of two code units', '😀'.repeat(3000)],
    ['characters of two code units, off by one', `x${'😀'.repeat(3000)}`],
  ])('the longest texts of %s fit the schema and are well formed', (_, text) => {
    const status = report([anError([text], 'InvalidSpec', text), anError(['b'])]);
    expect(featureFlag.status.safeParse(status).error).toBeUndefined();
    expect(JSON.stringify(status)).not.toMatch(/\\ud[89a-f]/);
  });

  test('warnings never replace an error', () => {
    const warnings = Array.from({ length: 200 }, (_, index) => aWarning([`a${index}`]));
    expect(report([...warnings, anError(['z'])]).problems?.[0]?.path).toBe('spec.z');
  });
});

describe('transition times', () => {
  const OLD = '2025-12-24T18:00:00Z';
  const NEW = '2026-01-02T03:04:05Z';
  const before = (findings: readonly Finding[]): Condition[] =>
    report(findings).conditions.map((condition) => ({ ...condition, lastTransitionTime: OLD }));
  const times = (was: readonly Finding[], is: readonly Finding[], generation = 1) =>
    report(is, { object: anObject(generation, before(was)) }).conditions.map(
      ({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`,
    );

  test('a first status has the present one, in whole seconds', () => {
    expect(report([]).conditions[0]?.lastTransitionTime).toBe(NEW);
  });

  test.each([
    ['nothing changed', [anError(['a'])], [anError(['a'])], [`Ready ${OLD}`, `Stalled ${OLD}`]],
    ['only warnings changed', [], [aWarning(['a'])], [`Ready ${OLD}`]],
    ['the status changed', [], [anError(['a'])], [`Ready ${NEW}`, `Stalled ${NEW}`]],
    [
      'the reason changed',
      [anError(['a'], 'InvalidSpec')],
      [anError(['a'], 'NameConflict')],
      [`Ready ${NEW}`, `Stalled ${NEW}`],
    ],
    [
      'only the message changed',
      [anError(['a'], 'InvalidSpec', 'x')],
      [anError(['a'], 'InvalidSpec', 'y')],
      [`Ready ${OLD}`, `Stalled ${OLD}`],
    ],
    [
      'from waiting to stalled',
      [anError(['a'], 'ProjectNotFound')],
      [anError(['a'])],
      [`Ready ${NEW}`, `Stalled ${NEW}`],
    ],
    ['mended', [anError(['a'])], [], [`Ready ${NEW}`]],
  ])('%s', (_, was, is, want) => {
    expect(times(was, is)).toEqual(want);
  });

  test('a new generation alone does not change them', () => {
    expect(times([anError(['a'])], [anError(['a'])], 2)).toEqual([`Ready ${OLD}`, `Stalled ${OLD}`]);
  });
});
