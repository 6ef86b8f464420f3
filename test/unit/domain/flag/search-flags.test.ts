/** The flags that a search finds, and their order. */
import { describe, expect, test } from 'vitest';
import {
  type FlagFilter,
  type FlagLooks,
  flagComparer,
  flagMatcher,
  foldedDescription,
  foldedTexts,
} from '../../../../src/domain/flag/search-flags.ts';
import { wireNameOf } from '../../../../src/domain/identity/names.ts';
import type { FeatureFlag } from '../../../../src/schema/feature-flag.ts';
import { flagObject } from '../objects.ts';

const ownersOf = (flag: FeatureFlag) => (flag === tagged ? [{ manager: 'Kustomize-controller' }] : []);
const looks: FlagLooks = {
  textsOf: foldedTexts,
  descriptionOf: foldedDescription,
  isOnIn({ spec }, environment) {
    if (environment === 'test') return true;
    return environment === 'production' ? (spec.environments?.['production']?.enabled ?? false) : undefined;
  },
  switchesOf: (flag) => [
    {
      ...{ name: 'production', asked: flag === on || flag === old, inEffect: flag === old },
      ...{ switchProtected: flag === tagged, switchOwners: ownersOf(flag) },
      share: { percent: flag === old ? 25 : 100, targeted: false },
      ...{ window: flag === on ? 'Scheduled' : null, ramps: flag === old ? [{}] : [] },
      nextChangeAt: flag === on ? '2030-01-01T00:00:00Z' : null,
    },
  ],
  lastSeenAt: (flag) => (flag === old ? undefined : Date.parse('2026-03-05T10:00:00Z')),
  stageOf: (flag) => (flag === old ? 'initial' : 'live'),
};
const fifth = Date.parse('2026-03-05T00:00:00Z');

function searchable(name: string, spec: object = {}, creationTimestamp = '2026-01-01T00:00:00Z'): FeatureFlag {
  return flagObject(`home/${name}`, spec, { creationTimestamp });
}

const tagged = labelled(searchable('tagged', { tags: ['simple:Café', 'team:cash'] }), { team: 'cash' });
const on = searchable('on', { environments: { production: { enabled: true } } });
const old = searchable('old', { stale: true, type: 'experiment', description: 'Où est-il?' }, '2025-12-31T23:59:59Z');
const every = [old, on, tagged];

function labelled(flag: FeatureFlag, labels: Readonly<Record<string, string>>): FeatureFlag {
  return { ...flag, metadata: { ...flag.metadata, labels } };
}

const shared = (size: 'everyone' | 'part' | 'none', environment = 'production') => ({
  share: [{ environment, size }],
});

describe('all conditions must hold', () => {
  test.each<[string, FlagFilter, readonly FeatureFlag[]]>([
    ['nothing', {}, every],
    ['a text that is empty', { text: '' }, every],
    ['a part of a name, in capitals', { text: 'TAG' }, [tagged]],
    ['names', { name: { values: ['on', 'none'], isWanted: true } }, [on]],
    ['a part of a tag, without its accent', { text: 'simple:cafe' }, [tagged]],
    ['a part of a description, which is not searched', { text: 'ou est' }, []],
    ['a part of a description', { text: 'OU EST', inDescriptions: true }, [old]],
    ['a part of a name or of a description', { text: 'o', inDescriptions: true }, [old, on]],
    ['a part of the name of an owner', { switchOwner: 'kustom' }, [tagged]],
    ['an owner that owns no switch', { switchOwner: 'argocd' }, []],
    ['a label', { label: { values: ['team=cash'], count: 'any', isWanted: true } }, [tagged]],
    ['the key of a label', { label: { values: ['team'], count: 'any', isWanted: true } }, [tagged]],
    ['a part of a label', { label: { values: ['team=ca'], count: 'any', isWanted: true } }, []],
    ['without a label', { label: { values: ['team=cash'], count: 'any', isWanted: false } }, [old, on]],
    ['on for a part of the users', shared('part'), [old]],
    ['on without effect', shared('none'), [on]],
    ['on for everyone, although a flag that is off would be', shared('everyone'), []],
    ['on for a part elsewhere', shared('part', 'test'), []],
    ['a window', { schedule: 'window' }, [on]],
    ['a ramp', { schedule: 'ramp' }, [old]],
    ['a planned change', { schedule: 'planned' }, [on]],
    ['a type', { type: { values: ['experiment'], isWanted: true } }, [old]],
    ['another type', { type: { values: ['experiment'], isWanted: false } }, [on, tagged]],
    ['a state', { state: { values: ['active'], isWanted: true } }, [on, tagged]],
    [
      'potentially stale',
      { state: { values: ['potentially-stale'], isWanted: true }, now: Date.parse('2026-02-10T00:00:00Z') },
      [on, tagged],
    ],
    [
      'not potentially stale',
      { state: { values: ['potentially-stale'], isWanted: false }, now: Date.parse('2026-02-09T00:00:00Z') },
      every,
    ],
    ['a stage', { lifecycle: { values: ['live'], isWanted: true } }, [on, tagged]],
    ['seen since a day', { seen: { from: fifth } }, [on, tagged]],
    ['seen before a day, so not those that never were', { seen: { until: fifth } }, []],
    ['both states', { state: { values: ['active', 'stale'], isWanted: true } }, every],
    ['any of tags', { tag: { values: ['team:cash', 'team:none'], count: 'any', isWanted: true } }, [tagged]],
    ['all of tags', { tag: { values: ['team:cash', 'team:none'], count: 'all', isWanted: true } }, []],
    ['not all of tags', { tag: { values: ['team:cash', 'team:none'], count: 'all', isWanted: false } }, every],
    ['a tag in other letters', { tag: { values: ['simple:café'], count: 'any', isWanted: true } }, []],
    ['a segment', { segment: { values: ['x'], count: 'any', isWanted: true } }, []],
    ['no segment', { segment: { values: ['x'], count: 'any', isWanted: false } }, every],
    ['on somewhere', { status: [{ environment: 'production', isEnabled: true }] }, [on]],
    ['off somewhere', { status: [{ environment: 'production', isEnabled: false }] }, [old, tagged]],
    ['off where nothing is', { status: [{ environment: 'staging', isEnabled: false }] }, []],
    ['on in one and off in the other', { differs: ['production', 'test'] }, [old, tagged]],
    ['the same in both', { differs: ['production', 'production'] }, []],
    ['not in both', { differs: ['production', 'staging'] }, []],
    ['configured alike in both', { configuredApart: ['production', 'production'] }, []],
    ['on in one and off in the other, configured alike', { configuredApart: ['production', 'test'] }, [old, tagged]],
    ['in one of them alone', { configuredApart: ['production', 'staging'] }, []],
    ['a protected switch', { switch: 'protected' }, [tagged]],
    ['a switch that is on without effect', { switch: 'ineffective' }, [on]],
    ['from a moment', { from: '2026-01-01T00:00:00Z' }, [on, tagged]],
    ['before a moment', { until: '2026-01-01T00:00:00Z' }, [old]],
    ['two things at once', { text: 'o', state: { values: ['stale'], isWanted: true } }, [old]],
  ])('%s', (_, filter, want) => {
    expect(every.filter(flagMatcher(filter, looks))).toEqual(want);
  });
});

describe('the order', () => {
  const names = (by: string, isDescending = false) =>
    [tagged, on, old].toSorted(flagComparer({ by, isDescending }, looks)).map(wireNameOf);

  test.each<[string, boolean, readonly string[]]>([
    ['name', false, ['old', 'on', 'tagged']],
    ['name', true, ['tagged', 'on', 'old']],
    ['createdAt', false, ['old', 'on', 'tagged']],
    ['createdAt', true, ['on', 'tagged', 'old']],
    ['state', true, ['old', 'on', 'tagged']],
    ['type', false, ['old', 'on', 'tagged']],
    ['environment:production', false, ['old', 'tagged', 'on']],
    ['environment:production', true, ['on', 'old', 'tagged']],
    ['environment:staging', true, ['old', 'on', 'tagged']],
  ])('by %s, descending %s: equal ones by name', (by, isDescending, want) => {
    expect(names(by, isDescending)).toEqual(want);
  });
});
