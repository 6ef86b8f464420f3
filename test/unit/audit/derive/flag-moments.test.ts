/** The history of windows and ramps: each moment once, with the author of the plan, whenever the leader has seen it. */
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
  /** The generation that the status is about. If absent, the flag is not judged. */
  readonly judged?: number;
  /** The minute of the last moment in the status. */
  readonly reached?: number;
  /** The minute in which the spec was written, by the clock of the API server. */
  readonly written?: number;
  /** The effect of the ramp in the status. */
  readonly effect?: { readonly state: string; readonly rollout: number };
  /** The problems of the environment in the status. */
  readonly problems?: readonly object[];
  readonly by?: string;
  readonly environment?: object;
  readonly archived?: boolean;
}

function version(one: Version): FeatureFlag {
  const {
    generation,
    judged,
    reached,
    written = 0,
    by = 'ada',
    environment = plan,
    archived = false,
    effect,
    problems,
  } = one;
  const status = {
    ...(judged !== undefined && { observedGeneration: judged }),
    ...(reached !== undefined && { changedByTimeAt: time(reached) }),
    ...(effect && { environments: { production: { enabled: true, strategies: 1, ramps: { s: effect } } } }),
    ...(problems && { problems }),
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

describe('the history records', () => {
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

  test('before an edit, those of the plan that the edit ended, with the author of that plan, then the edit', () => {
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

  test('the same after the recorder sees them again from another version', () => {
    const keys = (before: Version, after: Version) =>
      entries(version(before), version(after)).flatMap(({ type, key }) => (type === 'feature-ramp-step' ? [key] : []));
    const late = keys({ ...judged, reached: 10 }, { generation: 3, judged: 2, written: 30 });
    const again = keys({ generation: 3, judged: 2 }, { generation: 3, judged: 3, reached: 40, written: 19 });
    expect(late).toHaveLength(2);
    expect(again).toHaveLength(3);
    expect(again.slice(0, 2)).toEqual(late);
  });

  test('for a new flag, those since its creation, after the creation', () => {
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

describe('an edit of the ramp by a replica whose clock differs from that of the API server', () => {
  const SECOND = 1 / 60;
  const MINUTE = 60;
  const steps = [{ rollout: 5, for: '10m' }, { rollout: 50, for: '10m' }, { rollout: 100 }];
  const withRamp = (more: object) => ({
    enabled: true,
    strategies: { s: { name: 'flexibleRollout', parameters: { rollout: 1 }, ramp: { steps, ...more } } },
  });

  interface Edit {
    readonly from: object;
    readonly to: object;
    /** The minute of the last step before the edit. */
    readonly reached: number;
    /** The effect of the ramp before the edit. */
    readonly effect: NonNullable<Version['effect']>;
    /** The time of the edit by the clock of the API server, in seconds after that by the clock of the replica. */
    readonly skew: number;
  }

  /**
   * Everything that is recorded of the write and of the judgement after it, at minute 100 by the clock of the replica.
   */
  function recordedOf({ from, to, reached, effect, skew }: Edit): readonly string[] {
    const before = version({ generation: 2, judged: 2, reached, effect, environment: withRamp(from) });
    const written = Math.floor(100 * MINUTE + skew) * SECOND;
    const edit = { generation: 3, written, environment: withRamp(to) };
    const unjudged = version({ ...edit, judged: 2, reached, effect });
    const judged = version({ ...edit, judged: 3, reached: 105 });
    const both = [...entries(before, unjudged), ...entries(unjudged, judged)];
    const coalesced = entries(before, judged);
    const moments = (all: ReturnType<typeof entries>) =>
      [
        ...new Set(all.filter(({ type }) => type === 'feature-ramp-step').map((one) => `${one.subject} ${one.key}`)),
      ].sort();
    expect(moments(coalesced), 'the same where both are one step').toEqual(moments(both));
    return [...new Set(both.filter(({ type }) => type === 'feature-ramp-step').map(inShort))];
  }

  const skews = [-50, -3, -1, -0.3, 0, 0.05, 0.95, 1, 3, 50];
  const at = (minute: number) => time(minute);

  test.each(skews)('%s s: a start begins the first step, once', (skew) => {
    const effect = { state: 'Waiting', rollout: 1 };
    expect(recordedOf({ from: {}, to: { startAt: at(100) }, reached: 0, effect, skew })).toEqual([
      'feature-ramp-step s 1 100 ada',
    ]);
  });

  test.each(skews)('%s s: a skip begins its target step, once, and none before it', (skew) => {
    const effect = { state: 'Running', rollout: 5 };
    const edit = { from: { startAt: at(95) }, to: { startAt: at(90) }, reached: 95, effect, skew };
    expect(recordedOf(edit)).toEqual(['feature-ramp-step s 2 100 ada']);
    const later = { state: 'Running', rollout: 50 };
    const back = { from: { startAt: at(85) }, to: { startAt: at(100) }, reached: 95, effect: later, skew };
    expect(recordedOf(back)).toEqual(['feature-ramp-step s 1 100 ada']);
  });

  test.each(skews)(
    '%s s: a ramp that was paused just after the beginning of its step begins no step when it resumes',
    (skew) => {
      const from = { startAt: at(20), pausedAt: at(30.01) };
      const edit = { from, to: { startAt: at(89.99) }, reached: 30, effect: { state: 'Paused', rollout: 50 }, skew };
      expect(recordedOf(edit)).toEqual([]);
    },
  );

  test.each(skews)('%s s: a pause just before a step prevents the step', (skew) => {
    const from = { startAt: at(90.001) };
    const edit = {
      from,
      to: { ...from, pausedAt: at(100) },
      reached: 90.001,
      effect: { state: 'Running', rollout: 5 },
      skew,
    };
    expect(recordedOf(edit)).toEqual([]);
  });
});

describe('nothing is recorded for', () => {
  const judged = { generation: 2, judged: 2 };
  const of = (environment: object, more: Partial<Version> = {}) =>
    entries(
      version({ ...judged, environment, ...more }),
      version({ ...judged, reached: 70, environment, ...more }),
    ).map(inShort);

  test('a step outside the window', () => {
    expect(of({ ...plan, activeFrom: time(25), activeUntil: time(35) })).toEqual([
      'feature-window-opened 25 ada',
      step(2, 30),
      'feature-window-closed 35 ada',
    ]);
  });

  test('a step with the rollout of the one before it, or without a length', () => {
    const steps = [{ rollout: 0, for: '10m' }, { rollout: 0, for: '10m' }, { rollout: 7, for: '0s' }, { rollout: 9 }];
    const strategies = { s: { name: 'flexibleRollout', ramp: { startAt: time(20), steps } } };
    expect(of({ enabled: true, strategies })).toEqual([step(4, 40)]);
  });

  test('a moment of an environment with an error, which the flag may have only there', () => {
    const error = (path: string) => ({
      problems: [{ severity: 'Error', path, reason: 'UnknownStrategy', message: '' }],
    });
    expect(of(plan, error('spec.environments.production.strategies.s.name'))).toEqual([]);
    expect(of(plan, error('spec.project'))).toEqual([]);
    expect(of(plan, error('spec.environments.production-2'))).toEqual([]);
    expect(of({ ...plan, strategies: { s: { ...plan.strategies.s, disabled: true } } })).toEqual([]);
  });
});

test('moments between two edits are recorded, also where the first was not judged in between', () => {
  const first = version({ generation: 2, judged: 1, written: 15 });
  const second = version({
    generation: 3,
    judged: 1,
    written: 35,
    by: 'bob',
    environment: { ...plan, activeUntil: time(90) },
  });
  expect(entries(first, second).map(inShort)).toEqual([step(1, 20), step(2, 30), 'feature-window-updated 35 bob']);
});

test('a step of the plan before an edit is not recorded again for the plan after it', () => {
  const effect = { state: 'Running', rollout: 5 };
  const before = version({ generation: 2, judged: 2, reached: 20, effect });
  const environment = { ...plan, activeUntil: time(90) };
  const after = version({ generation: 3, judged: 3, reached: 30, written: 30.5, by: 'bob', environment });
  expect(entries(before, after).map(inShort)).toEqual([step(2, 30), 'feature-window-updated 30.5 bob']);
});

test('a status is compared only when a moment has passed', () => {
  const mark = (status: object) => fingerprintOf({ metadata: { ...flagObject('home/f').metadata }, status });
  expect(mark({ nextChangeAt: time(1), enabledIn: 'x' })).toBe(mark({}));
  expect(mark({ changedByTimeAt: time(1) })).not.toBe(mark({}));
});
