import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  abridge,
  abridgeAll,
  MAX_CONTENT_CHARACTERS,
  MAX_STEP_CHARACTERS,
} from '../../../../src/audit/archive/abridge.ts';
import { eventTextOf } from '../../../../src/audit/publish/event-note.ts';
import type { Json, JsonObject } from '../../../../src/model/json.ts';
import { anEntry } from '../../../support/archive/an-entry.ts';

const variants = (weight: number) =>
  Array.from({ length: 16 }, (_, index) => ({
    name: `v${index}`,
    weight: index === 3 ? weight : 0,
    payload: { type: 'string', value: 'a'.repeat(65_536) },
  }));

function digestOf(content: JsonObject | null) {
  const text = JSON.stringify(content);
  return { sha256: createHash('sha256').update(text).digest('hex'), bytes: Buffer.byteLength(text) };
}

describe('an entry', () => {
  test('up to the bound stays unchanged', () => {
    const rest = JSON.stringify({ text: '' }).length + '[]'.length;
    const entry = anEntry('a', { data: { text: 'x'.repeat(MAX_CONTENT_CHARACTERS - rest) } });
    expect(abridge(entry)).toBe(entry);
    expect(abridge({ ...entry, tags: [{ type: 'simple', value: 'y' }] })).not.toBe(entry);
  });

  test('above the bound keeps a digest of both sides, and their differences', () => {
    const [data, preData] = [{ variants: variants(7) }, { variants: variants(5) }];
    const entry = abridge(anEntry('a', { data, preData }));
    expect(entry.data).toEqual({ abridged: { ...digestOf(data), differences: { '/variants/3/weight': 7 } } });
    expect(entry.preData).toEqual({ abridged: { ...digestOf(preData), differences: { '/variants/3/weight': 5 } } });
  });

  test('keeps small parts, so that its Event has the usual note', () => {
    const shape = { name: 'checkout', type: 'release', stale: false, variants: variants(1) };
    const whole = anEntry('a', {
      type: 'feature-metadata-updated',
      data: { ...shape, description: 'new' },
      preData: { ...shape, description: 'old' },
    });
    const entry = abridge(whole);
    expect(entry.data).toMatchObject({ name: 'checkout', description: 'new', abridged: { differences: {} } });
    expect(eventTextOf([entry])).toEqual(eventTextOf([whole]));
  });

  test('of a new or deleted object has no differences', () => {
    const content = { name: 'checkout', variants: variants(1) };
    expect(abridge(anEntry('a', { data: content, preData: null }))).toMatchObject({
      data: { name: 'checkout', abridged: digestOf(content) },
      preData: null,
    });
    expect(abridge(anEntry('a', { data: null, preData: content })).data).toBeNull();
  });

  test('omits a member on both sides if one is large, so that it does not look added', () => {
    const many = Array.from({ length: 9_000 }, (_, index) => index);
    const entry = abridge(anEntry('a', { data: { constraints: many }, preData: { constraints: [-1] } }));
    expect([entry.data, entry.preData].map((side) => 'constraints' in (side ?? {}))).toEqual([false, false]);
  });

  test('names only the item that is added to a list, and counts the differences beyond the limit', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => `user-${index}`);
    const more = abridge(
      anEntry('a', { data: { values: list.toSpliced(2_500, 0, 'new') }, preData: { values: list } }),
    );
    expect(more.data).toMatchObject({ abridged: { differences: { '/values/2500': 'new' } } });
    expect(more.preData).toMatchObject({ abridged: { differences: {} } });
    const other = abridge(anEntry('a', { data: { values: list }, preData: { values: list.map((one) => `${one}!`) } }));
    const { differences, moreDifferences } = (other.data as { abridged: JsonObject }).abridged as {
      differences: JsonObject;
      moreDifferences: number;
    };
    expect(Object.keys(differences).length + moreDifferences).toBe(5_000);
  });
});

test('many large entries of one step keep little each, and those of another step are not affected', () => {
  const many = (from: string) =>
    Array.from({ length: 100 }, (_, index) =>
      anEntry(`${from}-${index}`, {
        uid: 'one',
        fromVersion: from,
        data: { name: 'n', text: `${index}`.repeat(15_000) },
      }),
    );
  const kept = abridgeAll([...many('1'), ...many('2')]);
  const [first, second] = [kept.slice(0, 100), kept.slice(100)].map((some) =>
    JSON.stringify(some.map(({ data }) => data)),
  );
  expect(first?.length).toBeLessThan(MAX_STEP_CHARACTERS * 1.25);
  expect(second).toBe(first);
  expect(kept[0]?.data).toMatchObject({ text: expect.any(String) });
  expect(kept[99]?.data).toEqual({ name: 'n', abridged: digestOf(many('1')[99]?.data ?? null) });
});

interface Abridged {
  readonly data: { readonly abridged: { readonly differences: JsonObject } };
}

/** Returns the value at a pointer of RFC 6901. */
function valueAt(content: Json, pointer: string): Json | undefined {
  const keys = pointer.split('/').slice(1);
  const unescaped = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return unescaped.reduce<Json | undefined>(
    (value, key) => Object.entries(value ?? {}).find(([own]) => own === key)?.[1],
    content,
  );
}

test('of any content is bounded, and each difference is at its pointer', () => {
  const content = fc.dictionary(fc.string({ maxLength: 2_000 }), fc.jsonValue({ maxDepth: 6 })).map((object) => ({
    ...(object as JsonObject),
    filling: 'f'.repeat(MAX_CONTENT_CHARACTERS),
    large: { ...(object as JsonObject), filling: 'f'.repeat(MAX_CONTENT_CHARACTERS) },
  }));
  fc.assert(
    fc.property(content, content, (data, preData) => {
      const entry = abridge(anEntry('a', { data, preData }));
      // An abridged entry stays unchanged.
      expect(abridge(entry)).toBe(entry);
      expect(entry.data).toMatchObject({ abridged: digestOf(data) });
      const { differences } = (entry as unknown as Abridged).data.abridged;
      for (const [pointer, value] of Object.entries(differences)) {
        const whole = valueAt(data, pointer);
        if (JSON.stringify(whole).length <= 1_000) expect(value).toEqual(whole);
        expect(whole).not.toEqual(valueAt(preData, pointer));
      }
    }),
    { numRuns: 100 },
  );
});
