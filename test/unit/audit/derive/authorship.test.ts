/** The author of a step: a valid stamp, otherwise the field manager, otherwise unknown. */
import { describe, expect, test } from 'vitest';
import { authorshipOf, authorshipOfOne } from '../../../../src/audit/derive/authorship.ts';
import { changeStamp, creationStamp, deletionStamp } from '../../../../src/domain/identity/author.ts';
import type { ObjectMetadata } from '../../../../src/model/object.ts';
import type { FeatureFlag } from '../../../../src/schema/feature-flag.ts';
import { stampKeys, type Via } from '../../../../src/schema/stamp.ts';
import { flagObject } from '../../domain/objects.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => NOON + seconds * 1000;
const time = (seconds: number) => new Date(at(seconds)).toISOString();

const author = (via: Via, from?: string) => ({ name: 'ada', via, from });

function flag(generation: number, annotations: object = {}, more: Partial<ObjectMetadata> = {}): FeatureFlag {
  const object = flagObject('home/f', {}, { generation });
  const said = Object.entries(annotations).filter(([, value]) => value !== undefined);
  return {
    ...object,
    metadata: { ...object.metadata, annotations: Object.fromEntries(said), ...more },
    owners: [{ manager: 'kubectl-edit', operation: 'Update', time: time(0), fields: '{}' }],
  };
}
const ofSpec = (before: FeatureFlag | undefined, after: FeatureFlag) =>
  authorshipOf({ before, after, seenSince: NOON });

describe('the author of a change is', () => {
  test('the author of its stamp, with API and address', () => {
    const stamp = changeStamp(author('api-token', '10.1.2.3'), { generation: 1 });
    expect(ofSpec(flag(1), flag(2, stamp))).toEqual({ by: 'author', name: 'ada', via: 'api-token', from: '10.1.2.3' });
  });

  test("the author of the API server's stamp, who did not use our API", () => {
    const stamp = { [stampKeys.by]: 'ada', [stampKeys.generation]: '2' };
    expect(ofSpec(flag(1), flag(2, stamp))).toEqual({ by: 'author', name: 'ada', via: undefined, from: undefined });
  });

  test('the author of the stamp of a new object; an empty address is none', () => {
    const stamp = creationStamp(author('environment-clone'));
    const want = { by: 'author', name: 'ada', via: 'environment-clone', from: undefined };
    expect(ofSpec(undefined, flag(1, stamp))).toEqual(want);
  });

  test.each([1, 3])('the field manager, where the stamp is of generation %i and not of 2', (generation) => {
    const stamp = changeStamp(author('api-token', '10.1.2.3'), { generation: generation - 1 });
    expect(ofSpec(flag(1), flag(2, stamp))).toEqual({ by: 'field-manager', name: 'field manager kubectl-edit' });
  });

  test('an unknown author, without a stamp and a field manager', () => {
    expect(ofSpec(undefined, { ...flag(1), owners: [] })).toEqual({ by: 'unknown' });
  });

  test('Vexil itself, where only the status changed, after a spec of any author', () => {
    const stamp = creationStamp(author('api-token'));
    expect(ofSpec(flag(1, stamp), flag(1, stamp))).toEqual({ by: 'vexil' });
  });
});

describe('all changes of one step have its author', () => {
  const ofStep = ofSpec(undefined, flag(1, creationStamp(author('api-token'))));
  test.each(['feature-created', 'feature-stale-on'] as const)('%s', (type) => {
    expect(authorshipOfOne({ type }, ofStep)).toBe(ofStep);
  });
  test('except by its time', () => {
    expect(authorshipOfOne({ type: 'feature-potentially-stale-on' }, ofStep)).toEqual({ by: 'vexil' });
  });
});

describe('the author of a deletion is', () => {
  const ada = { by: 'author', name: 'ada', via: 'personal-token', from: '10.1.2.3' };
  const unknown = { by: 'unknown' };
  const stamped = (seconds: number) => deletionStamp(author('personal-token', '10.1.2.3'), at(seconds));
  const last = changeStamp(author('api-token'), { generation: 1 });

  const rows = [
    { name: 'of whom its stamp names', object: flag(2, { ...last, ...stamped(5) }), want: ada },
    { name: 'of the same, where the stamp is 30 s before seenSince', object: flag(2, stamped(-30)), want: ada },
    { name: 'of an unknown author, where the stamp is older', object: flag(2, stamped(-31)), want: unknown },
    { name: 'of an unknown author without a stamp, after any writer', object: flag(2, last), want: unknown },
    {
      name: 'of nobody known, where the time of the stamp is none',
      object: flag(2, { ...stamped(5), 'vexil.dev/deleted-at': 'soon' }),
      want: unknown,
    },
    {
      name: 'of whom its stamp names, however long something kept the object',
      object: flag(3, stamped(-3600), { deletionTimestamp: time(-3571) }),
      want: ada,
    },
    {
      name: 'of nobody known, where it was asked for long after the stamp',
      object: flag(3, stamped(5), { deletionTimestamp: time(36) }),
      want: unknown,
    },
    {
      name: 'of nobody known, where it was asked for long before the stamp',
      object: flag(3, stamped(5), { deletionTimestamp: time(-26) }),
      want: unknown,
    },
  ];
  test.each(rows)('$name', ({ object, want }) => {
    expect(authorshipOf({ before: object, seenSince: NOON })).toEqual(want);
  });
});
