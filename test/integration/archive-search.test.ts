import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Archive } from '../../src/audit/archive/archive.ts';
import { openArchive } from '../../src/audit/archive/open-archive.ts';
import type { EntryFilter, NewEntry, Visible } from '../../src/domain/history/entry.ts';
import { anEntry } from '../support/archive/an-entry.ts';
import { databases } from '../support/archive/databases.ts';
import { keysOf, record, streamed } from '../support/archive/gather.ts';
import type { RunningDatabase } from '../support/archive/running-database.ts';

const notice = (sentence: string) => {
  throw new Error(sentence);
};

/** A value in the data of an entry, a search text, and whether it finds the entry. For other letters: fold.test.ts. */
const texts: readonly (readonly [what: string, value: string, text: string, isFound: boolean])[] = [
  ['the whole word', 'checkout', 'checkout', true],
  ['a part', 'checkout', 'ecko', true],
  ['letters in another order', 'checkout', 'checktuo', false],
  ['parts that are there, but not beside each other', 'checkout page', 'checkpage', false],
  ['trigrams that are there, but elsewhere', 'abcd bcde', 'abcde', false],
  ['upper case for lower case', 'checkout', 'CHECKOUT', true],
  ['lower case for upper case', 'CHECKOUT', 'checkout', true],
  ['umlauts of another case', 'GRÖẞE', 'größe', true],
  ['composed letters for parts', 'Cafe\u0301', 'café', true],
  ['one character', 'x', 'X', true],
  ['one character that is not there', 'x', 'q', false],
  ['two characters', 'xyz', 'YZ', true],
  ['two characters that are apart', 'xyz', 'xz', false],
  ['one letter beyond ASCII', 'größe', 'Ö', true],
  ['an emoji', 'party 🎉 now', '🎉', true],
  ['another emoji', 'party 🎉 now', '🎊', false],
  ['an emoji with its neighbours', 'party 🎉 now', 'y 🎉 n', true],
  ['half an emoji', 'party 🎉 now', '\ud83c', false],
  ['the character 0', 'one', 'one\0', false],
  ['a per cent sign as itself', '50% off', '0% o', true],
  ['a per cent sign for anything', '50 or off', '50%off', false],
  ['an underscore as itself', 'new_checkout', 'new_ch', true],
  ['an underscore for any character', 'new-checkout', 'new_checkout', false],
  ['a lone per cent sign', 'new-checkout', '%', false],
  ['a lone underscore', 'new-checkout', '_', false],
  ['an asterisk as itself', 'a*bcd', 'a*b', true],
  ['an asterisk for anything', 'abcd', 'ab*', false],
  ['an asterisk for anything, in two characters', 'abcd', '*d', false],
  ['an asterisk as itself, in two characters', 'ab*d', '*d', true],
  ['a question mark as itself', 'why?', 'y?', true],
  ['a question mark for any character', 'whys', 'y?', false],
  ['a bracket as itself', 'a[b]c', '[b', true],
  ['brackets for one of some', 'abc', '[a-c]', false],
  ['a closing bracket as itself', 'a[b]c', ']c', true],
  ['words of the language of FTS5', 'abc or def', 'abc OR xyz', false],
  ['a quote of a value, as JSON has it', 'say "yes" now', 'say \\"yes\\"', true],
  ['a quote of a value, as it is shown', 'say "yes" now', 'say "yes"', false],
  ['the quotes around a value', 'checkout', '":"checkout"', true],
  ['a single quote', "it's here", "it's", true],
  ['two single quotes', "it's here", "it''s", false],
  ['a backslash, as JSON has it', 'C:\\dir', 'c:\\\\dir', true],
  ['a backslash at the end', 'C:\\dir', 'c:\\', true],
  ['a line break, as JSON has it', 'one\ntwo', 'one\\ntwo', true],
  ['a line break', 'one\ntwo', 'one\ntwo', false],
  ['blanks', 'one  two', 'one  two', true],
  ['one blank for two', 'one  two', 'one two', false],
  ['only blanks', 'a   b', '   ', true],
  ['a long text', `${'long '.repeat(400)}end`, `${'Long '.repeat(400)}End`, true],
  ['names of fields', 'checkout', '"NAME":', true],
  ['nothing', 'checkout', '', true],
];

/** More than are few to a search, also without those that are pruned. */
const MANY = 2_600;

const visible = (changes: Partial<Visible>): Visible => ({ namespaces: [], projects: [], resources: [], ...changes });

/** Entries that are recorded one after the other. */
const recorded: readonly NewEntry[] = [
  anEntry('1', {
    createdAt: 100,
    featureName: 'checkout',
    environment: 'production',
    createdByUserId: 2,
    channel: 'kubernetes',
    fieldManager: 'kubectl-edit',
  }),
  anEntry('2', {
    createdAt: 300,
    featureName: 'search',
    environment: 'development',
    createdBy: `Ürsula:${'x'.repeat(9_000)}%`,
    createdByUserId: -42,
    channel: 'kubernetes',
    fieldManager: 'kubectl or kustomize-controller',
  }),
  anEntry('3', {
    createdAt: 200,
    project: 'blog',
    featureName: 'checkout',
    type: 'feature-created',
    data: null,
    channel: 'console',
  }),
  anEntry('4', {
    createdAt: 200,
    namespace: 'team-b',
    type: 'feature-created',
    preData: { name: 'Before' },
    channel: 'kubernetes',
  }),
  anEntry('5', {
    createdAt: 400,
    project: null,
    featureName: null,
    resource: 'flagusers',
    type: 'user-created',
    tags: [{ type: 'simple', value: 'tagged' }],
  }),
  anEntry('6', {
    createdAt: 50,
    project: null,
    featureName: null,
    resource: 'environments',
    type: 'environment-created',
  }),
  anEntry('7', { createdAt: 60, project: 'shop', namespace: 'team', featureName: 'Checkout', resource: 'flagusers' }),
];

const filters: Readonly<Record<string, readonly [EntryFilter, string]>> = {
  'no condition: by time, and the later of two of one time first': [{}, '5 2 4 3 1 7 6'],
  'a flag, exactly': [{ features: ['checkout'] }, '4 3 1'],
  'any of some flags': [{ features: ['search', 'Checkout', 'search'] }, '2 7'],
  'a name that does not exist': [{ features: ['nobody'] }, ''],
  'a name that is one of another kind': [{ features: ['shop'] }, ''],
  'an empty list': [{ features: [] }, ''],
  'a name that no database can hold': [{ features: ['a\0', 'search'] }, '2'],
  'a project, wherever it is': [{ projects: ['shop'] }, '2 4 1 7'],
  'a type': [{ types: ['feature-created'] }, '4 3'],
  'an environment': [{ environments: ['production', 'staging'] }, '1'],
  'ids of users': [{ createdBy: [-42, 2, 2] }, '2 1'],
  'what is no id of a user': [{ createdBy: [Number.NaN, 1.5] }, ''],
  'a way': [{ ways: ['console'] }, '3'],
  kubectl: [{ ways: ['kubectl'] }, '1'],
  'a controller, also beside kubectl': [{ ways: ['controller'] }, '2'],
  'all that came to the API server': [{ ways: ['kubernetes', 'kubectl'] }, '2 4 1'],
  'an unknown way, or the console': [{ ways: ['unknown', 'console'] }, '5 3 7 6'],
  'a way by which nothing came': [{ ways: ['alert'] }, ''],
  'a way and other conditions': [{ ways: ['kubernetes'], features: ['checkout'], text: 'che' }, '4 1'],
  'an author by a part of the name, whatever its case': [{ author: 'ANN@Exam' }, '5 4 3 1 7 6'],
  'an author whose name is long, and has other letters': [{ author: 'üRSULA:xxx' }, '2'],
  'no author by a wildcard': [{ author: 'ann%com' }, ''],
  'an author by a sign that is a wildcard elsewhere': [{ author: 'x%' }, '2'],
  'an author that no database can hold': [{ author: 'a\0' }, ''],
  'no author by a text of the entry': [{ author: 'checkout' }, ''],
  'an author and other conditions': [{ author: 'ann', projects: ['shop'], text: 'che', from: 100 }, '4 1'],
  'an author by what is masked': [{ author: 'ann@', masked: true }, ''],
  'an author by what a masked name shows': [{ author: 'a…@example', masked: true }, '5 4 3 1 7 6'],
  'from a time on, inclusive': [{ from: 200 }, '5 2 4 3'],
  'until before a time': [{ until: 200 }, '1 7 6'],
  'a span': [{ from: 100, until: 300 }, '4 3 1'],
  'a span that is empty': [{ from: 300, until: 300 }, ''],
  'all at once': [
    {
      features: ['checkout'],
      projects: ['shop'],
      types: ['feature-updated'],
      createdBy: [2],
      from: 1,
      until: 900,
      text: 'che',
    },
    '1',
  ],
  'conditions that nothing meets together': [{ features: ['search'], environments: ['production'] }, ''],
  'a text in data': [{ text: 'CHECKOUT' }, '5 2 4 1 7 6'],
  'a text in preData': [{ text: 'before' }, '4'],
  'a text in tags': [{ text: 'tagged' }, '5'],
  'a text across data and preData': [{ text: '}{' }, ''],
  'no text in the type, the author or the flag': [{ text: 'ann@example.com' }, ''],
  'a text and a condition': [{ text: 'check', projects: ['shop'], environments: ['development'] }, '2'],
  'a short text and a condition': [{ text: 'ch', types: ['feature-created', 'user-created'] }, '5 4'],
  'a project, in one namespace': [{ projects: ['shop'], projectsIn: [{ namespace: 'team', id: 'shop' }] }, '7'],
  'a project in one namespace, and one wherever it is': [
    { projects: ['shop', 'blog'], projectsIn: [{ namespace: 'team', id: 'shop' }] },
    '3 7',
  ],
  'visible: nothing': [{ visible: visible({}) }, ''],
  'visible: a namespace, and no other whose name begins alike': [{ visible: visible({ namespaces: ['team'] }) }, '7'],
  'visible: a namespace, but not what belongs to no project': [
    { visible: visible({ namespaces: ['team-a'] }) },
    '2 3 1',
  ],
  'visible: a project in one namespace': [
    { visible: visible({ projects: [{ namespace: 'team-a', id: 'shop' }] }) },
    '2 1',
  ],
  'visible: a project that is not there': [
    { visible: visible({ projects: [{ namespace: 'team-b', id: 'blog' }] }) },
    '',
  ],
  'visible: kinds, of what belongs to no project': [{ visible: visible({ resources: ['flagusers'] }) }, '5'],
  'visible: all of these': [
    {
      visible: visible({
        namespaces: ['team-b', 'nowhere'],
        projects: [{ namespace: 'team-a', id: 'blog' }],
        resources: ['environments'],
      }),
    },
    '4 3 6',
  ],
  'visible and another condition': [
    { visible: visible({ namespaces: ['team-a'] }), projects: ['shop'], text: 'out' },
    '2 1',
  ],
};

describe.each(Object.entries(databases))('a search in %s', (_, start) => {
  let database: RunningDatabase;
  let withTexts: Archive;
  let withRecorded: Archive;

  beforeAll(async () => {
    database = await start();
    withTexts = openArchive(await database.freshArchive(), { notice });
    withRecorded = openArchive(await database.freshArchive(), { notice });
    await record(
      withTexts,
      texts.map(([, value], index) => anEntry(String(index), { data: { name: value } })),
    );
    for (const entry of recorded) await record(withRecorded, [entry]);
  });
  afterAll(async () => {
    await Promise.all([withTexts?.close(), withRecorded?.close()]);
    await database?.stop();
  });

  test.each(texts.map((row, index) => [...row, index] as const))('finds %s: %j by %j is %s', async (...row) => {
    const [, , text, isFound, index] = row;
    expect((await keysOf(withTexts, { text })).includes(String(index))).toBe(isFound);
    expect((await streamed(withTexts, { text })).some(({ key }) => key === String(index))).toBe(isFound);
  });

  test.each(Object.entries(filters))('%s', async (_name, [filter, want]) => {
    const wanted = want.split(' ').filter((key) => key !== '');
    const { entries, total } = await withRecorded.search(filter, { offset: 0, limit: 100 });
    expect([entries.map(({ key }) => key), total]).toEqual([wanted, wanted.length]);
    expect((await streamed(withRecorded, filter)).map(({ key }) => key)).toEqual(wanted.toSorted());
  });

  test.each<[EntryFilter]>([
    [{}],
    [{ types: ['feature-updated', 'feature-created', 'user-created', 'environment-created'] }],
    [{ text: 'e' }],
  ])('pages of %j follow each other, and the total is the same on each, also after the last one', async (filter) => {
    const all = await keysOf(withRecorded, filter);
    expect(all.length).toBeGreaterThan(4);
    for (let offset = 0; offset < all.length + 3; offset += 2) {
      const { entries, total } = await withRecorded.search(filter, { offset, limit: 2 });
      expect(entries.map(({ key }) => key)).toEqual(all.slice(offset, offset + 2));
      expect(total).toBe(all.length);
    }
    expect(await withRecorded.search(filter, { offset: 0, limit: 0 })).toEqual({ entries: [], total: all.length });
  });

  test.each<[EntryFilter]>([
    [{}],
    [{ types: ['feature-updated', 'feature-created', 'user-created', 'environment-created'] }],
    [{ text: 'e' }],
  ])('a count of %j stops at the limit of the page, and later pages are still found', async (filter) => {
    const all = await keysOf(withRecorded, filter);
    const count = async (countUpTo: number, offset = 0) => {
      const { entries, ...counted } = await withRecorded.search(filter, { offset, limit: 2, countUpTo });
      return { ...counted, keys: entries.map(({ key }) => key) };
    };
    expect(await count(all.length)).toEqual({ total: all.length, keys: all.slice(0, 2) });
    expect(await count(3)).toEqual({ total: 3, totalIsAtLeast: true, keys: all.slice(0, 2) });
    expect(await count(3, 4)).toEqual({ total: 3, totalIsAtLeast: true, keys: all.slice(4, 6) });
    expect(await count(0)).toEqual({ total: 0, totalIsAtLeast: true, keys: all.slice(0, 2) });
  });

  describe('for readers who see addresses masked', () => {
    const member = { email: 'vic.secret@example.com', roleName: 'member' };
    const entries = [
      anEntry('member', { data: member }),
      anEntry('tagged', { tags: [{ type: 'owner', value: 'vic.secret@example.com' }] }),
      anEntry('key', { preData: { 'first,vic.secret@example.com': { deeper: ['x'] } } }),
      anEntry('both', { data: { ...member, description: 'vic.secret stays' } }),
      anEntry('plain', { data: { name: 'vic.secret' } }),
    ];
    const seen = { visible: visible({ namespaces: ['team-a'] }) };
    const ALL = ['both', 'key', 'member', 'plain', 'tagged'];
    let archive: Archive;

    beforeAll(async () => {
      archive = openArchive(await database.freshArchive(), { notice });
      await record(archive, entries);
    });
    afterAll(() => archive?.close());

    test.each<[text: string, masked: readonly string[], whole?: readonly string[]]>([
      ['vic.secret', ['both', 'plain'], ALL],
      ['VIC.S', ['both', 'plain'], ALL],
      // No index contains this text, so all entries are searched.
      ['c.', ['both', 'plain'], ALL],
      ['ic.secret@example.c', [], ['both', 'key', 'member', 'tagged']],
      ['"email":"vi', [], ['both', 'member']],
      ['first,v', [], ['key']],
      // The rest of an address is shown, so searches find it.
      ['example.com', ['both', 'key', 'member', 'tagged']],
      ['"email":"v', ['both', 'member']],
      ['rolename', ['both', 'member']],
      ['nowhere', []],
    ])('%s', async (text, masked, whole = masked) => {
      const more = text === 'vic.secret' ? [seen, { projects: ['shop', 'blog'] }] : [];
      for (const filter of [{ text }, ...more.map((one) => ({ text, ...one }))]) {
        expect((await keysOf(archive, filter)).toSorted()).toEqual(whole);
        const { entries: found, total } = await archive.search({ ...filter, masked: true }, { offset: 0, limit: 100 });
        expect([found.map(({ key }) => key).toSorted(), total]).toEqual([masked, masked.length]);
        const streamedKeys = (await streamed(archive, { ...filter, masked: true })).map(({ key }) => key);
        expect(streamedKeys.toSorted()).toEqual(masked);
      }
    });

    test('without a text all entries are found', async () => {
      expect((await keysOf(archive, { masked: true })).toSorted()).toEqual(ALL);
    });
  });

  test('an answer has no more content than fits into memory, and a stream has all of it', async () => {
    const url = await database.freshArchive();
    const archive = openArchive(url, { notice });
    try {
      await record(
        archive,
        [1, 2, 3].map((number) => anEntry(`${number}`, { createdAt: number })),
      );
      // Earlier versions kept such a text whole.
      const whole = `{"text":"${'x'.repeat(5 * 1024 * 1024)}"}`;
      await database.execute(url, `update entries set data = '${whole}' where created_at > 1`);
      const { entries } = await archive.search({}, { offset: 0, limit: 10 });
      expect(entries.map(({ data }) => data)).toEqual([
        JSON.parse(whole),
        { abridged: { bytes: whole.length + '[]'.length } },
        { name: 'checkout' },
      ]);
      expect((await streamed(archive)).map(({ data }) => JSON.stringify(data).length)).toEqual([
        JSON.stringify({ name: 'checkout' }).length,
        whole.length,
        whole.length,
      ]);
    } finally {
      await archive.close();
    }
  });

  test('many matches have the same order as few, and are counted without pruned ones', async () => {
    const archive = openArchive(await database.freshArchive(), { notice });
    try {
      const entries = Array.from({ length: MANY }, (_unused, index) =>
        anEntry(String(index), { createdAt: (index * 7919) % 1_000, project: index % 3 === 0 ? 'blog' : 'shop' }),
      );
      await record(archive, entries);
      const inOrder = entries
        .map(({ createdAt, project }, index) => ({ createdAt, project, index }))
        .sort((a, b) => b.createdAt - a.createdAt || b.index - a.index);
      // The page ends between two entries of one time.
      for (const filter of [{ text: 'checkout' }, { text: 'ou' }, {}, { projects: ['shop', 'blog'] }]) {
        const keys = await keysOf(archive, filter, 1_000, 51);
        expect(keys).toEqual(inOrder.slice(1_000, 1_051).map(({ index }) => String(index)));
      }
      const ofBlog = inOrder.filter(({ project }) => project === 'blog');
      expect(await keysOf(archive, { text: 'checkout', projects: ['blog'] }, 100, 50)).toEqual(
        ofBlog.slice(100, 150).map(({ index }) => String(index)),
      );
      for (const filter of [{ text: 'checkout' }, { text: 'ou' }, {}]) {
        const { total, totalIsAtLeast } = await archive.search(filter, { offset: 0, limit: 1, countUpTo: 2_200 });
        expect([total, totalIsAtLeast]).toEqual([2_200, true]);
        const behind = await archive.search(filter, { offset: MANY - 1, limit: 50, countUpTo: 2_200 });
        expect(behind.entries.map(({ key }) => key)).toEqual([String(inOrder.at(-1)?.index)]);
      }
      const ids = (await archive.unpublished(9_999)).map(({ id }) => id);
      await archive.settle(ids, 'published');
      const old = entries.filter(({ createdAt }) => createdAt < 100).length;
      expect(await archive.prune(100, 10_000)).toBe(old);
      for (const text of ['checkout', 'ou', undefined]) {
        expect((await archive.search({ text }, { offset: 0, limit: 1 })).total).toBe(MANY - old);
        const byAuthor = { text, author: 'ann' };
        expect((await archive.search(byAuthor, { offset: 0, limit: 1 })).total).toBe(MANY - old);
      }
    } finally {
      await archive.close();
    }
  });
});
