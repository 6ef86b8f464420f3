/** The history of windows and ramps: each moment once, with the author of the plan, whenever the leader saw it. */
import { describe, expect, test } from 'vitest';
import { entriesOf } from '../../../../src/audit/derive/steps.ts';
import { fingerprintOf } from '../../../../src/audit/record/fingerprint.ts';
import { changeStamp } from '../../../../src/domain/identity/author.ts';
import type { FeatureFlag } from '../../../../src/schema/feature-flag.ts';
import { featureFlag } from '../../../../src/schema/feature-flag.ts';
import { flagObject } from '../../domain/objects.ts';
import { derive } from './derive-world.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const time = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
const ramp = { startAt: time(20), steps: [{ rollout: 5, for: '10m' }, { rollout: 50, for: '10m' }, { rollout: 100 }] };
const plan = {
  enabled: true,
  activeFrom: time(10),
  activeUntil: time(60),
  strategies: { s: { name: 'flexibleRollout', ramp } },
};

interface Version {
  readonly generation: number;
  /** Of which the status is; absent: not judged at all. */
  readonly judged?: number;
  /** In minutes, as the status says. */
  readonly reached?: number;
  /** When the spec was written, in minutes. */
  readonly written?: number;
  readonly by?: string;
  readonly environment?: object;
  readonly archived?: boolean;
}

function version(one: Version): FeatureFlag {
  const { generation, judged, reached, written = 0, by = 'ada', environment = plan, archived = false } = one;
  const status = {
    ...(judged !== undefined && { observedGeneration: judged }),
    ...(reached !== undefined && { changedByTimeAt: time(reached) }),
  };
  const stamp = changeStamp({ name: by, via: 'api-token', from: undefined }, { generation: generation - 1 });
  const annotations = Object.fromEntries(
    Object.entries(stamp).flatMap(([key, value]) => (value ? [[key, value]] : [])),
  );
  const facts = { generation, annotations, status, resourceVersion: `${generation}${reached ?? 0}` };
  const flag = flagObject('home/f', { archived, environments: { production: environment } }, facts);
  return { ...flag, owners: [{ manager: 'x', operation: 'Update', time: time(written), fields: '{}' }] };
}

const people = { userNamed: () => undefined, userBySubject: () => undefined };
const seen = NOON + 3 * 3_600_000;

function entries(before: FeatureFlag | undefined, after: FeatureFlag) {
  const moment = { at: seen, isLate: false, since: 0, until: seen, previousAt: 0, seenSince: seen, era: 0 };
  const step = { kind: featureFlag, before, after, unseen: false, isRestored: false, ...moment };
  return entriesOf(step, { derive, people });
}

const inShort = ({ type, createdAt, subject, createdBy }: ReturnType<typeof entries>[number]) =>
  [type, subject, (createdAt - NOON) / 60_000, createdBy].filter((part) => part !== '').join(' ');

const opened = 'feature-window-opened 10 ada';
const step = (number: number, minute: number) => `feature-ramp-step s ${number} ${minute} ada`;

describe('recorded are', () => {
  const judged = { generation: 2, judged: 2 };
  test.each<[string, Version, Version, readonly string[]]>([
    ['the moment that has just passed', judged, { ...judged, reached: 10 }, [opened]],
    ['nothing where none has passed', { ...judged, reached: 10 }, { ...judged, reached: 10 }, []],
    [
      'all that passed while there was no leader, each with its own time',
      judged,
      { ...judged, reached: 60 },
      [opened, step(1, 20), step(2, 30), step(3, 40), 'feature-window-closed 60 ada'],
    ],
    [
      'for a spec that was never judged, those since it was written',
      { generation: 2, judged: 1, written: 15 },
      { ...judged, reached: 30, written: 15 },
      [step(1, 20), step(2, 30)],
    ],
    [
      'since the spec was written, also where its owner wrote again and left the spec alone',
      { generation: 2, written: 15 },
      { ...judged, reached: 30, written: 50 },
      [step(1, 20), step(2, 30)],
    ],
    [
      'none of a flag that is switched off there',
      { ...judged, environment: { ...plan, enabled: false } },
      { ...judged, environment: { ...plan, enabled: false }, reached: 60 },
      [],
    ],
    ['none of an archived flag', { ...judged, archived: true }, { ...judged, archived: true, reached: 60 }, []],
    ['none after a status of an older backup', { ...judged, reached: 40 }, { ...judged, reached: 10 }, []],
  ])('%s', (_, before, after, want) => {
    expect(entries(version(before), version(after)).map(inShort)).toEqual(want);
  });

  test('before an edit, those of the plan that it ended, with the author of that plan, then the edit', () => {
    const edited = {
      generation: 3,
      judged: 2,
      written: 25,
      by: 'bob',
      environment: { ...plan, activeUntil: time(90) },
    };
    const found = entries(version({ ...judged, reached: 10 }), version(edited)).map(inShort);
    expect(found).toEqual([step(1, 20), 'feature-window-updated 25 bob']);
  });

  test('once, also where the recorder sees them again from another version', () => {
    const keys = (before: Version, after: Version) =>
      entries(version(before), version(after)).flatMap(({ type, key }) => (type === 'feature-ramp-step' ? [key] : []));
    const late = keys({ ...judged, reached: 10 }, { generation: 3, judged: 2, written: 30 });
    const again = keys({ generation: 3, judged: 2 }, { generation: 3, judged: 3, reached: 40, written: 19 });
    expect(late).toHaveLength(2);
    expect(again).toHaveLength(3);
    expect(again.slice(0, 2)).toEqual(late);
  });

  test('of a new flag, those since it was created, after the creation', () => {
    const created = [
      'feature-created',
      'feature-strategy-add',
      'feature-window-updated',
      'feature-environment-enabled',
    ];
    const found = (written: number) =>
      entries(undefined, version({ ...judged, reached: 40, written })).map(({ type }) => type);
    expect(found(40)).toEqual(created);
    expect(found(30)).toEqual([...created, 'feature-ramp-step']);
  });
});

test('a status is compared only when a moment has passed', () => {
  const mark = (status: object) => fingerprintOf({ metadata: { ...flagObject('home/f').metadata }, status });
  expect(mark({ nextChangeAt: time(1), enabledIn: 'x' })).toBe(mark({}));
  expect(mark({ changedByTimeAt: time(1) })).not.toBe(mark({}));
});
