/** The namespace that a name belongs to, and its stored form. */
import { describe, expect, test } from 'vitest';
import { type Named, nameOwnerOf } from '../../../../src/domain/identity/names.ts';
import {
  CLAIM_SHARDS,
  claimKey,
  claimsOf,
  partsOfClaimKey,
  shardLinesOf,
  shardOf,
  withinLimit,
} from '../../../../src/domain/name-claims/claim-shards.ts';
import {
  claimFor,
  concerns,
  type NameClaim,
  RELEASE_ANNOTATION,
} from '../../../../src/domain/name-claims/name-claims.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const DAY = 24 * 3_600_000;
const times = { now: NOW, tenureMs: 7 * DAY };
const END = '2026-03-08T00:00:00Z';
const PAST = '2026-02-28T00:00:00Z';

/** Objects by age: `a` is older than `b`, and so on. */
const an = (place: string, annotations = {}): Named => {
  const [namespace = '', name = ''] = place.split('/');
  const creationTimestamp = `2026-01-01T00:00:0${namespace.charCodeAt(0) - 97}Z`;
  const metadata = { namespace, name, creationTimestamp, annotations, uid: place, resourceVersion: '1', generation: 1 };
  return { metadata, spec: { name: 'wire' } };
};
const releasing = (place: string) => an(place, { [RELEASE_ANNOTATION]: 'true' });

describe('the claim to a name', () => {
  const rows: Readonly<Record<string, [NameClaim | undefined, readonly Named[], NameClaim | undefined]>> = {
    'that nobody has and had is none': [undefined, [], undefined],
    'that nobody has claimed is that of the oldest object': [undefined, [an('b/x'), an('a/y')], { namespace: 'a' }],
    'stays where it is while an object there has it': [
      { namespace: 'b' },
      [an('a/old'), an('b/young')],
      { namespace: 'b' },
    ],
    'gets an end when no object there has it, whatever others there are': [
      { namespace: 'b' },
      [an('a/old')],
      { namespace: 'b', until: END },
    ],
    'keeps its end until then': [{ namespace: 'b', until: END }, [an('a/old')], { namespace: 'b', until: END }],
    'loses its end when an object there has it again': [
      { namespace: 'b', until: END },
      [an('a/old'), an('b/young')],
      { namespace: 'b' },
    ],
    'goes to the oldest of the others after its end': [
      { namespace: 'b', until: PAST },
      [an('c/young'), an('a/old')],
      { namespace: 'a' },
    ],
    'is over after its end where there are no others': [{ namespace: 'b', until: PAST }, [], undefined],
    'stays after its end for an object that is back': [
      { namespace: 'b', until: PAST },
      [an('b/x'), an('a/old')],
      { namespace: 'b' },
    ],
    'is none while its only object gives it away': [{ namespace: 'a' }, [releasing('a/x')], undefined],
    'goes to an older object when its holder gives it away': [
      { namespace: 'b' },
      [an('a/old'), releasing('b/x')],
      { namespace: 'a' },
    ],
    'does not care whether another object gives it away': [
      { namespace: 'b' },
      [releasing('a/old'), an('b/x')],
      { namespace: 'b' },
    ],
  };
  test.each(Object.entries(rows))('%s', (_, [claim, objects, wanted]) => {
    expect(claimFor({ claim, objects }, times)).toEqual(wanted);
  });

  test('decides who owns the name: the oldest object of that namespace, or none', () => {
    const objects = [an('a/old'), an('b/two'), an('b/one')];
    expect(nameOwnerOf(objects, 'b')?.metadata.name).toBe('one');
    expect(nameOwnerOf(objects, 'c')).toBeUndefined();
    expect(nameOwnerOf(objects)?.metadata.name).toBe('old');
  });

  test('concerns objects of other namespaces only', () => {
    const change = { before: undefined, after: { namespace: 'a' } };
    expect(concerns(change, [an('a/x')])).toBe(false);
    expect(concerns(change, [an('a/x'), an('b/x')])).toBe(true);
    expect(concerns({ before: { namespace: 'b' }, after: { namespace: 'a' } }, [an('a/x')])).toBe(true);
  });
});

const inShard = (index: number, name: string): string => {
  for (let digit = 0; ; digit += 1) if (shardOf(`${name}${digit}`) === index) return `${name}${digit}`;
};

describe('claims as text', () => {
  test('are a line for each name, by namespace and kind, in order', () => {
    const [one, two, odd] = ['b', 'a', 'it is\n100%'].map((name) => inShard(3, name));
    const claims = new Map([
      [claimKey('featureflags', one ?? ''), { namespace: 'shop' }],
      [claimKey('featureflags', two ?? ''), { namespace: 'shop', until: END }],
      [claimKey('projects', odd ?? ''), { namespace: 'pay' }],
    ]);
    const data = shardLinesOf(claims);
    expect(data).toEqual({
      'shop.featureflags': `${two} ${END}\n${one}\n`,
      'pay.projects': `${encodeURIComponent(odd ?? '')}\n`,
    });
    expect(claimsOf(data, 3)).toEqual(claims);
  });

  test('that users have corrupted are ignored one by one', () => {
    const name = inShard(0, 'good');
    const data = {
      'shop.featureflags': `\n%E0%A4%A\n  ${name}  \n${inShard(1, 'elsewhere')}\n${inShard(0, 'no-time')} tomorrow\n`,
      'zoo.featureflags': name,
      shop: name,
      'shop.secrets': name,
    };
    expect([...claimsOf(data, 0)]).toEqual([
      [claimKey('featureflags', name), { namespace: 'shop' }],
      [claimKey('featureflags', inShard(0, 'no-time')), { namespace: 'shop' }],
    ]);
  });

  test('are distributed evenly, and a name is always in the same part', () => {
    const counts = new Array<number>(CLAIM_SHARDS).fill(0);
    for (let n = 0; n < 8000; n += 1)
      counts[shardOf(`shop-feature-${n}`)] = (counts[shardOf(`shop-feature-${n}`)] ?? 0) + 1;
    for (const count of counts) expect(count).toBeGreaterThan(800);
    // Earlier versions have written these values.
    expect(['default', 'card-payments', 'NewCheckout'].map(shardOf)).toEqual([6, 5, 5]);
  });
});

describe('a part that is full', () => {
  const names = (claims: ReadonlyMap<string, NameClaim>) =>
    [...claims.keys()].map((key) => partsOfClaimKey(key).wireName);
  const isContested = () => true;
  const flag = (name: string, claim: NameClaim) => [claimKey('featureflags', name), claim] as const;

  test('removes claims first from the namespace with the most bytes, the earliest ones to end first', () => {
    const claims = new Map([
      flag('used', { namespace: 'greedy' }),
      flag('g-late', { namespace: 'greedy', until: '2026-03-09T00:00:00Z' }),
      flag('g-soon', { namespace: 'greedy', until: '2026-03-02T00:00:00Z' }),
      flag('modest', { namespace: 'modest', until: '2026-03-01T00:00:00Z' }),
      flag('new', { namespace: 'modest' }),
    ]);
    // Both names have the same length.
    const PLACE = 'greedy.featureflags'.length;
    const bytes = shardLinesOf(claims);
    const size = Object.entries(bytes).flat().join('').length;
    expect(withinLimit(claims, { isContested, maxBytes: size })).toBe(claims);
    expect(names(withinLimit(claims, { isContested, maxBytes: size - 1 }))).toEqual([
      'used',
      'g-late',
      'modest',
      'new',
    ]);
    expect(names(withinLimit(claims, { isContested, maxBytes: 9 + 2 * PLACE }))).toEqual(['used', 'new']);
    expect(names(withinLimit(claims, { isContested, maxBytes: 5 + PLACE }))).toEqual(['new']);
  });

  test('counts the namespaces too, of which there may be thousands', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => {
      const namespace = `${index}`.padStart(63, 'n');
      return [
        flag('f', { namespace }),
        [claimKey('projects', 'p'), { namespace }] as const,
        [claimKey('segments', 's'), { namespace }] as const,
      ].map(([key, claim]) => [`${key}-${index}`, claim] as const);
    });
    const kept = shardLinesOf(withinLimit(new Map(many.flat()), { isContested }));
    expect(Object.entries(kept).flat().join('').length).toBeLessThanOrEqual(900_000);
    expect(Object.entries(kept).flat().join('').length).toBeGreaterThan(890_000);
  });

  test('charges names in use to their namespace: many of them displace no reservation of another one', () => {
    const many = Array.from({ length: 9_000 }, (_, index) =>
      flag(`${'x'.repeat(96)}${index}`, { namespace: 'greedy' }),
    );
    const claims = new Map([...many, flag('victim', { namespace: 'modest', until: '2026-03-01T00:00:00Z' })]);
    const kept = withinLimit(claims, { isContested });
    expect(kept.get(claimKey('featureflags', 'victim'))).toBeDefined();
    expect(kept.size).toBeGreaterThan(8_500);
    expect([...kept.keys()].slice(0, 8_500)).toEqual(many.slice(0, 8_500).map(([key]) => key));
  });

  test('names in use that nobody else wants displace no reservation, however many namespaces have them', () => {
    const unused = { namespace: 'victim', until: '2026-03-01T00:00:00Z' };
    const reserved = Array.from({ length: 2_000 }, (_, index) => flag(`v-${index}`, unused));
    const used = Array.from({ length: 500 }, (_, index) => flag(`u-${index}`, { namespace: 'victim' }));
    // Each of these namespaces has less than the one that they attack.
    const many = Array.from({ length: 20_000 }, (_, index) =>
      flag(`${'x'.repeat(90)}${index}`, { namespace: `greedy-${index % 100}` }),
    );
    const twin = claimKey('featureflags', 'u-7');
    const claims = new Map([...reserved, ...used, ...many]);
    const kept = withinLimit(claims, { isContested: (key) => key === twin });
    expect(reserved.filter(([key]) => !kept.has(key))).toEqual([]);
    expect(kept.has(twin)).toBe(true);
    expect(Object.entries(shardLinesOf(kept)).flat().join('').length).toBeLessThanOrEqual(900_000);
  });
});
