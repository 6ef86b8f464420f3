/** Which flags a search means, and in which order. */
import { describe, expect, test } from 'vitest';
import { effectOf } from '../../../src/domain/effect.ts';
import {
  type FlagFilter,
  flagComparer,
  flagMatcher,
  type SearchableFlag,
  searchableFlag,
} from '../../../src/domain/search-flags.ts';
import { strategyTypesOf } from '../../../src/domain/strategy-types.ts';
import type { Surroundings } from '../../../src/domain/surroundings.ts';
import { environmentObject, flagObject, projectObject } from './objects.ts';

const environments = ['development', 'production'].map((name) => environmentObject(`home/${name}`));
const surroundings: Surroundings = {
  project: projectObject('home/shop'),
  projectElsewhere: undefined,
  environments,
  everyEnvironment: new Map(environments.map((one) => [one.metadata.name, one])),
  strategyTypes: strategyTypesOf([]),
};

function searchable(name: string, spec: object = {}, createdAt = '2026-01-01T00:00:00Z'): SearchableFlag {
  const flag = flagObject(`home/${name}`, spec, { creationTimestamp: createdAt });
  return searchableFlag(flag, surroundings, effectOf(flag, surroundings));
}

const strategies = { all: { name: 'default' } };
const tagged = searchable('tagged', { tags: ['simple:Café', 'team:cash'] });
const on = searchable('on', { environments: { production: { enabled: true, strategies } } });
const old = searchable('old', { stale: true, type: 'experiment' }, '2025-12-31T23:59:59Z');
const every = [old, on, tagged];

describe('all that is said must hold', () => {
  test.each<[string, FlagFilter, readonly SearchableFlag[]]>([
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
    expect(every.filter(flagMatcher(filter))).toEqual(want);
  });
});

describe('the order', () => {
  const names = (by: string, isDescending = false) =>
    [tagged, on, old].toSorted(flagComparer({ by, isDescending })).map(({ name }) => name);

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
  ])('by %s, descending %s: the same goes by name', (by, isDescending, want) => {
    expect(names(by, isDescending)).toEqual(want);
  });
});
