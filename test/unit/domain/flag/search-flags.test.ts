/** Which flags a search means, and in which order. */
import { describe, expect, test } from 'vitest';
import {
  type FlagFilter,
  type FlagLooks,
  flagComparer,
  flagMatcher,
  foldedTexts,
} from '../../../../src/domain/flag/search-flags.ts';
import { wireNameOf } from '../../../../src/domain/identity/names.ts';
import type { FeatureFlag } from '../../../../src/schema/feature-flag.ts';
import { flagObject } from '../objects.ts';

const looks: FlagLooks = {
  textsOf: foldedTexts,
  isOnIn: ({ spec }, environment) =>
    environment === 'production' ? (spec.environments?.['production']?.enabled ?? false) : undefined,
};

function searchable(name: string, spec: object = {}, creationTimestamp = '2026-01-01T00:00:00Z'): FeatureFlag {
  return flagObject(`home/${name}`, spec, { creationTimestamp });
}

const tagged = searchable('tagged', { tags: ['simple:Café', 'team:cash'] });
const on = searchable('on', { environments: { production: { enabled: true } } });
const old = searchable('old', { stale: true, type: 'experiment' }, '2025-12-31T23:59:59Z');
const every = [old, on, tagged];

describe('all that is said must hold', () => {
  test.each<[string, FlagFilter, readonly FeatureFlag[]]>([
    ['nothing', {}, every],
    ['a text that is empty', { text: '' }, every],
    ['a part of a name, in capitals', { text: 'TAG' }, [tagged]],
    ['a part of a tag, without its accent', { text: 'simple:cafe' }, [tagged]],
    ['a type', { type: { values: ['experiment'], isWanted: true } }, [old]],
    ['another type', { type: { values: ['experiment'], isWanted: false } }, [on, tagged]],
    ['a state', { state: { values: ['active'], isWanted: true } }, [on, tagged]],
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
