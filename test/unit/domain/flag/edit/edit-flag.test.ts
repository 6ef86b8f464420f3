/** Edits of a flag: what they change; everything else stays unchanged. */
import { describe, expect, test } from 'vitest';
import { cloneSpec } from '../../../../../src/domain/flag/edit/clone-flag.ts';
import { archive, metadataOf, revive, setMetadata } from '../../../../../src/domain/flag/edit/edit-flag.ts';
import type { FlagSpec } from '../../../../../src/schema/feature-flag.ts';

const UUID = '0fce2b2f-5d5d-4cf9-9b3e-3f6a7c0f1a11';

const full: FlagSpec = {
  project: 'shop',
  name: 'Full',
  type: 'experiment',
  description: 'd',
  impressionData: true,
  stale: true,
  archived: true,
  tags: ['simple:a'],
  variants: [{ name: 'v' }],
  environments: {
    production: {
      enabled: true,
      strategies: { chosen: { name: 'default', sortOrder: 1 }, [UUID]: { name: 'default' } },
      variants: [{ name: 'w' }],
    },
    development: { strategies: { chosen: { name: 'default' } } },
    empty: null,
  },
};

describe('metadata', () => {
  const defaults = { description: '', type: 'release', stale: false, impressionData: false } as const;

  test('absent fields mean their defaults', () => {
    expect(metadataOf({})).toEqual(defaults);
  });

  test('an absent field with the same meaning stays absent', () => {
    expect(setMetadata({}, defaults)).toEqual({});
    expect(setMetadata({ stale: false }, defaults)).toEqual({ stale: false });
  });

  test('only changes are written', () => {
    expect(setMetadata({ project: 'p' }, { ...defaults, stale: true })).toEqual({ project: 'p', stale: true });
    expect(setMetadata({ stale: true }, defaults)).toEqual({ stale: false });
  });

  test('an absent description stays', () => {
    const { description: _, ...rest } = defaults;
    expect(setMetadata({ description: 'd' }, { ...rest, type: 'permission' })).toEqual({
      description: 'd',
      type: 'permission',
    });
  });

  test('a field without a default is removed if it becomes undefined', () => {
    expect(setMetadata({ lifetimeDays: 90 }, { lifetimeDays: undefined })).toEqual({});
    expect(Object.keys(setMetadata({ lifetimeDays: 90, stale: true }, defaults))).toEqual(['lifetimeDays', 'stale']);
    expect(setMetadata({}, { ...defaults, lifetimeDays: 90 })).toEqual({ lifetimeDays: 90 });
  });

  test('everything else is the same object', () => {
    const next = setMetadata(full, { ...defaults, type: 'permission' });
    expect(next.environments).toBe(full.environments);
    expect(next.variants).toBe(full.variants);
    expect(next.tags).toBe(full.tags);
  });
});

describe('archive', () => {
  test('sets one field', () => {
    const spec: FlagSpec = { environments: full.environments };
    const next = archive(spec);
    expect(next).toEqual({ ...spec, archived: true });
    expect(next.environments).toBe(spec.environments);
  });

  test('returns an archived flag unchanged', () => {
    expect(archive(full)).toBe(full);
  });
});

describe('revive', () => {
  test('switches off everywhere the flag was on', () => {
    const next = revive(full);
    expect(next).not.toHaveProperty('archived');
    expect(next.environments).toEqual({
      ...full.environments,
      production: { ...full.environments?.['production'], enabled: false },
    });
    expect(next.environments?.['development']).toBe(full.environments?.['development']);
    expect(next.environments?.['production']?.strategies).toBe(full.environments?.['production']?.strategies);
  });

  test('returns a flag that is not archived unchanged', () => {
    const spec: FlagSpec = { environments: { production: { enabled: true } } };
    expect(revive(spec)).toBe(spec);
  });

  test('adds no environments to a flag without any', () => {
    expect(revive({ archived: true, description: 'd' })).toEqual({ description: 'd' });
  });
});

describe('clone', () => {
  const NAMES = { from: 'source', to: 'copy' };
  const clone = cloneSpec(full, NAMES, () => 'new-id');

  test('has tags, variants, strategies and metadata, is not stale, not archived and off everywhere', () => {
    expect(clone).toEqual({
      type: 'experiment',
      description: 'd',
      impressionData: true,
      tags: ['simple:a'],
      variants: [{ name: 'v' }],
      environments: {
        production: {
          strategies: { chosen: { name: 'default', sortOrder: 1 }, 'new-id': { name: 'default' } },
          variants: [{ name: 'w' }],
        },
        development: { strategies: { chosen: { name: 'default' } } },
        empty: null,
      },
    });
  });

  test('shares what it does not change, and does not change the source', () => {
    expect(clone.variants).toBe(full.variants);
    expect(clone.environments?.['production']?.strategies?.['chosen']).toBe(
      full.environments?.['production']?.strategies?.['chosen'],
    );
    expect(full.environments?.['production']?.enabled).toBe(true);
    expect(Object.keys(full.environments?.['production']?.strategies ?? {})).toContain(UUID);
  });

  test('has no environments for a flag without any', () => {
    expect(cloneSpec({ name: 'x', project: 'p' }, NAMES, () => 'new-id')).toEqual({});
  });

  test('renames a group named after the source; another one stays, and an absent one stays absent', () => {
    const grouped = (parameters: Record<string, unknown>) => ({ name: 'flexibleRollout', parameters });
    const strategies = {
      own: grouped({ groupId: 'source', rollout: 25 }),
      shared: grouped({ groupId: 'source-and-others' }),
      none: grouped({ rollout: 5 }),
      odd: grouped({ groupId: ['source'] }),
    };
    const copy = cloneSpec({ environments: { production: { strategies } } }, NAMES, () => 'new-id');
    expect(copy.environments?.['production']?.strategies).toEqual({
      ...strategies,
      own: grouped({ groupId: 'copy', rollout: 25 }),
    });
  });
});
