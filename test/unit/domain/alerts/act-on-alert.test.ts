/**
 * The effect of an alert on a flag: it acts once each time it fires, and is undone only if nobody else has decided
 * since.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Alert,
  type AlertEdit,
  actOnAlert,
  MAX_RESUMES_PER_HOUR,
} from '../../../../src/domain/alerts/act-on-alert.ts';
import { alertActionsIn, MAX_ALERT_ACTIONS, withAlertAction } from '../../../../src/schema/alert-action.ts';
import type { FeatureFlag, FlagSpec } from '../../../../src/schema/feature-flag.ts';
import { dependents } from '../dependents.ts';
import { flagObject } from '../objects.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const MINUTE_MS = 60_000;
const environment = 'production';

const alert: Alert = {
  name: 'Errors',
  link: 'http://prometheus/graph',
  fingerprint: 'abc',
  startsAt: START,
  state: 'firing',
  action: 'off',
  resumes: false,
};
const resolved: Alert = { ...alert, state: 'resolved', resumes: true };
const pausing: Alert = { ...alert, action: 'pause-ramp' };

const flagContext = dependents();
const steps = [{ rollout: 5, for: '24h' }, { rollout: 100 }];
const ramp = (more: object) => ({ name: 'flexibleRollout', ramp: { steps, ...more } });
const RUNNING = { startAt: '2026-02-28T12:00:00Z' };

const flagWith = (production: object): FeatureFlag => flagObject('ns/f', { environments: { production } });
const on = flagWith({ enabled: true, strategies: { all: { name: 'default' } } });

interface World {
  readonly flag: FeatureFlag;
  readonly last?: AlertEdit;
}

/** Acts on an alert, and stores the edit as the API server does. */
function act(flag: FeatureFlag, what: Alert, now = START): World & { readonly last: AlertEdit } {
  const last = actOnAlert(flag, what, { environment, flagContext, childrenOn: [], now });
  if (!last.action) {
    expect(last.spec).toBe(flag.spec);
    return { flag, last };
  }
  return { flag: edited(flag, last.spec, withAlertAction(flag.metadata.annotations, last.action)), last };
}

/** A change by a user, unless there are annotations. */
function edited(flag: FeatureFlag, spec: FlagSpec, annotations = flag.metadata.annotations): FeatureFlag {
  const metadata = { ...flag.metadata, generation: flag.metadata.generation + 1, ...(annotations && { annotations }) };
  return { ...flag, spec, metadata };
}
const switched = (flag: FeatureFlag, enabled: boolean): FeatureFlag =>
  edited(flag, { environments: { production: { ...flag.spec.environments?.['production'], enabled } } });
const isOn = ({ spec }: FeatureFlag) => spec.environments?.['production']?.enabled;

describe('off', () => {
  test('acts once for each time the alert fires, also after a user has switched the flag on again', () => {
    const first = act(on, alert, START + 1);
    expect([first.last.outcome, isOn(first.flag)]).toEqual(['done', false]);
    expect(alertActionsIn(first.flag.metadata.annotations)).toEqual([
      {
        ...{ did: 'off', environment, fingerprint: 'abc', alert: 'Errors', link: 'http://prometheus/graph' },
        ...{ startsAt: '2026-03-01T00:00:00.000Z', at: '2026-03-01T00:00:00.001Z', generation: 2 },
      },
    ]);
    const again = switched(first.flag, true);
    for (const startsAt of [START, START - 1]) expect(act(again, { ...alert, startsAt }).last.outcome).toBe('already');
    expect(act(again, { ...alert, startsAt: START + MINUTE_MS }).last.outcome).toBe('done');
    expect(act(again, { ...alert, fingerprint: 'def' }).last.outcome).toBe('done');
  });

  test('of a flag that is off, archived or of another environment changes nothing', () => {
    expect(act(switched(on, false), alert).last.outcome).toBe('already');
    expect(() => act(flagObject('ns/f', { archived: true }), alert)).toThrow('is archived');
    expect(() => actOnAlert(on, alert, { environment: 'staging', flagContext, childrenOn: [], now: START })).toThrow(
      'environment "staging"',
    );
  });

  test('of a resolved alert does nothing unless it says resume, and resumes only what the alert did', () => {
    const { flag } = act(on, alert);
    expect(act(flag, { ...resolved, resumes: false }).last.outcome).toBe('ignored');
    expect(act(flag, { ...resolved, fingerprint: 'def' }).last.outcome).toBe('ignored');
    expect(act(flag, { ...resolved, startsAt: START - 1 }).last.outcome).toBe('ignored');
    expect(act(switched(on, false), resolved).last.outcome).toBe('ignored');
    const resumed = act(flag, resolved);
    expect([resumed.last.outcome, isOn(resumed.flag)]).toEqual(['done', true]);
    expect(act(resumed.flag, resolved).last.outcome).toBe('already');
    expect(act(switched(resumed.flag, false), resolved).last.outcome).toBe('already');
  });

  test('keeps a later change of a user; another alert does not', () => {
    const { flag } = act(on, alert);
    const byPerson = edited(flag, { ...flag.spec, description: 'found it' });
    expect(act(byPerson, resolved).last.outcome).toBe('ignored');
    const other = act(
      edited(flag, flagWith({ ...flag.spec.environments?.['production'], strategies: { a: ramp(RUNNING) } }).spec),
      { ...pausing, fingerprint: 'def' },
    );
    expect(act(other.flag, resolved).last.outcome).toBe('ignored');
    const twice = act(act(withRamp, { ...pausing, fingerprint: 'def' }).flag, alert);
    expect(isOn(act(twice.flag, resolved).flag)).toBe(true);
  });

  test('of an alert that fires repeatedly switches the flag on a few times an hour, then leaves it off', () => {
    let { flag } = { flag: on };
    const turn = (minute: number) => {
      const startsAt = START + minute * MINUTE_MS;
      flag = act(flag, { ...alert, startsAt }, startsAt).flag;
      flag = act(flag, { ...resolved, startsAt }, startsAt + 1).flag;
    };
    for (let minute = 0; minute < MAX_RESUMES_PER_HOUR; minute += 1) turn(minute);
    expect(() => turn(30)).toThrow('3 times in an hour');
    expect(isOn(flag)).toBe(false);
    flag = switched(flag, true);
    turn(90);
    expect(isOn(flag)).toBe(true);
  });
});

const withRamp = flagWith({ enabled: true, strategies: { a: ramp(RUNNING), b: { name: 'default' } } });

describe('pause-ramp', () => {
  const rampOf = ({ spec }: FeatureFlag) => spec.environments?.['production']?.strategies?.['a']?.ramp;

  test('pauses running ramps, and its resolution resumes them', () => {
    const paused = act(withRamp, pausing, START);
    expect(rampOf(paused.flag)?.pausedAt).toBe('2026-03-01T00:00:00.000Z');
    expect(isOn(paused.flag)).toBe(true);
    const resumed = act(paused.flag, { ...resolved, action: 'pause-ramp' }, START + 60 * MINUTE_MS);
    expect(rampOf(resumed.flag)).toEqual({ steps, startAt: '2026-02-28T13:00:00.000Z' });
  });

  test.each<[string, object, AlertEdit['outcome']]>([
    ['a ramp that a person has paused', ramp({ ...RUNNING, pausedAt: '2026-02-28T13:00:00Z' }), 'already'],
    ['a ramp that waits', ramp({}), 'ignored'],
    ['a ramp that is over', ramp({ startAt: '2025-01-01T00:00:00Z' }), 'ignored'],
    ['the ramp of a strategy that is disabled', { ...ramp(RUNNING), disabled: true }, 'ignored'],
    ['no ramp', { name: 'default' }, 'ignored'],
    ['a ramp that begins later', ramp({ startAt: '2026-04-01T00:00:00Z' }), 'done'],
  ])('%s: %s', (_, strategy, want) => {
    expect(act(flagWith({ enabled: true, strategies: { a: strategy } }), pausing).last.outcome).toBe(want);
  });

  test('does not resume a ramp that a user has paused again or aborted', () => {
    const { flag } = act(withRamp, pausing);
    const end: Alert = { ...resolved, action: 'pause-ramp' };
    for (const strategy of [
      ramp({ ...RUNNING, pausedAt: '2026-03-01T00:00:05.000Z' }),
      { ...ramp({ ...RUNNING, pausedAt: '2026-03-01T00:00:00.000Z' }), disabled: true },
    ]) {
      const changed = edited(
        flag,
        flagWith({ enabled: true, strategies: { a: strategy, b: { name: 'default' } } }).spec,
      );
      expect(act(changed, end).last.outcome).toBe('ignored');
    }
  });
});

test('any alerts act at most once while they fire, and the record stays bounded', () => {
  const anyAlert = fc.record({
    ...{ fingerprint: fc.constantFrom('a', 'b', 'c'), minute: fc.nat({ max: 5 }) },
    ...{ state: fc.constantFrom('firing', 'resolved'), action: fc.constantFrom('off', 'pause-ramp') },
    switchOn: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(anyAlert, { maxLength: 15 }), (calls) => {
      let flag = withRamp;
      const operations: string[] = [];
      for (const { fingerprint, minute, state, action, switchOn } of calls) {
        if (switchOn) flag = switched(flag, true);
        const one = { ...alert, fingerprint, state, action, startsAt: START + minute * MINUTE_MS } as Alert;
        const { flag: next, last } = act(flag, one, START + 10 * MINUTE_MS);
        flag = next;
        if (last.action) operations.push([fingerprint, last.action.did, one.startsAt].join(' '));
      }
      expect(new Set(operations).size).toBe(operations.length);
      expect(alertActionsIn(flag.metadata.annotations).length).toBeLessThanOrEqual(MAX_ALERT_ACTIONS);
    }),
  );
});

test('an unreadable record counts as none, and the next one replaces it', () => {
  const broken = { ...on, metadata: { ...on.metadata, annotations: { 'vexil.dev/alert-actions': '[{"did":"x"}' } } };
  expect(alertActionsIn(act(broken, alert).flag.metadata.annotations)).toHaveLength(1);
});
