/**
 * The time of a step: never before the preceding version, nor after it was noticed; the bounds if the time is unknown.
 */
import { describe, expect, test } from 'vitest';
import { type TimedStep, timesOf } from '../../../../src/audit/derive/times.ts';
import { deletionStamp } from '../../../../src/domain/identity/author.ts';
import type { CustomObject } from '../../../../src/model/object.ts';
import { flagObject } from '../../domain/objects.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => NOON + seconds * 1000;
const iso = (seconds: number) => new Date(at(seconds)).toISOString();

type Version = CustomObject<unknown, unknown>;

/** A version that was last written that many seconds after noon. */
function version(spec: object, seconds: number, annotations: Readonly<Record<string, string>> = {}): Version {
  const object = flagObject('home/f', spec, { creationTimestamp: iso(-1000) });
  const metadata = { ...object.metadata, annotations };
  return {
    ...object,
    metadata,
    owners: [{ manager: 'kubectl-edit', operation: 'Update', time: iso(seconds), fields: '{}' }],
  };
}

const both = version({ tags: ['a:b', 'c:d'], description: 'old' }, 0);
const changed = version({ tags: ['a:b', 'c:d'], description: 'new' }, 20);
/** kubectl leaves no time if it only removes fields. */
const removed = version({ tags: ['a:b'] }, 0);

/** A step that was noticed 60 s after noon, when everything up to 10 s after noon had been recorded. */
const step = (more: Partial<TimedStep>): TimedStep => ({
  before: both,
  at: at(60),
  isLate: true,
  seenSince: at(10),
  since: at(10),
  until: Number.POSITIVE_INFINITY,
  previousAt: at(5),
  ...more,
});
const known = (seconds: number) => ({ createdAt: at(seconds), earliestAt: null });
const between = (from: number, to: number) => ({ createdAt: at(to), earliestAt: at(from) });

describe('of a single change', () => {
  const rows: Record<string, [Partial<TimedStep>, object]> = {
    'the time in the object, if the change is recorded late': [{ after: changed }, known(20)],
    'the time in the object, if no watch was running, however soon it is recorded': [
      { after: changed, at: at(29) },
      known(20),
    ],
    'the moment of recording, if the change is recorded in the second in which it was written': [
      { after: changed, at: at(20.4), isLate: false },
      known(20.4),
    ],
    'the end of that second, if it is recorded soon after': [
      { after: changed, at: at(29), isLate: false },
      known(20.999),
    ],
    'not the end of that second, if the version before is later': [
      { after: changed, at: at(29), isLate: false, previousAt: at(22) },
      known(22),
    ],
    'the moment of recording of a deletion, which may happen long after its stamp': [
      { last: version({}, 0, deletionStamp({ name: 'ada', via: 'api-token' }, at(55))), isLate: false },
      known(60),
    ],
    'the moment of a removal, too': [{ after: removed, isLate: false }, known(60)],
    'an interval for a removal that is recorded late': [{ after: removed }, between(10, 60)],
    'a narrower one, where something was written after it': [{ after: removed, until: at(30) }, between(10, 30)],
    'the end of an interval that is short enough': [{ after: removed, until: at(12) }, known(12)],
    'never before the version that precedes it': [{ after: changed, previousAt: at(21) }, known(21)],
    'an interval, where the version that precedes it has a later bound': [
      { after: changed, previousAt: at(25) },
      between(20, 25),
    ],
    'never after it was noticed': [{ after: version({ description: 'x' }, 70) }, known(60)],
    'never after it was noticed, whatever was written after it': [{ after: removed, until: at(90) }, between(10, 60)],
    'the time of its writer, who wrote twice in that second': [
      { before: changed, after: version({ tags: ['a:b', 'c:d'], description: 'newer' }, 20), previousAt: at(20) },
      known(20),
    ],
    'its creation': [{ before: undefined, after: version({}, 20), previousAt: 0 }, known(-1000)],
    'an interval of a deletion that nobody stamped': [{ last: both }, between(10, 60)],
    'the time of its stamp, however late it is recorded': [
      { last: version({}, 0, deletionStamp({ name: 'ada', via: 'api-token' }, at(15))), at: at(3600) },
      known(15),
    ],
  };
  test.each(Object.entries(rows))('%s', (_, [more, want]) => {
    expect(timesOf(step(more), false)).toEqual(want);
  });
});

test('several changes at once lie between what was recorded and what is known of the last', () => {
  expect(timesOf(step({ after: changed }), true)).toEqual(between(10, 20));
  expect(timesOf(step({ after: removed }), true)).toEqual(between(10, 60));
  expect(timesOf(step({ after: changed, since: at(30) }), true)).toEqual(between(30, 30));
});

test('a value of 100,000 levels is compared only down to the bound', () => {
  let deep: object = {};
  for (let level = 0; level < 100_000; level += 1) deep = { deep };
  const after = { ...both, rawSpec: deep };
  expect(timesOf(step({ before: { ...both, rawSpec: deep }, after }), false)).toEqual(between(10, 60));
});
