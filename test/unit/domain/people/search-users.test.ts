/** The users that a search finds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wireNameOf } from '../../../../src/domain/identity/names.ts';
import { MAX_FOUND_USERS, searchableUser, searchUsers } from '../../../../src/domain/people/search-users.ts';
import { folded } from '../../../../src/model/text.ts';
import { userObject } from '../objects.ts';

/** The usernames that a search finds among users with these specs. Each user is called by its place in the list. */
function found(pattern: string, ...specs: readonly object[]): string[] {
  const users = specs.map((spec, index) => searchableUser(userObject(`home/${index}`, spec)));
  return searchUsers(users, pattern).map(wireNameOf);
}
const isFound = (name: string, pattern: string) => found(pattern, { displayName: name }).length === 1;

describe('a user is found', () => {
  test.each([
    ['the beginning of its name', 'Ada'],
    ['a part within its name', 'hlgr'],
    ['two words of its name with the blank between', 'a A'],
    ['the beginning of its username', 'count'],
    ['a part within its username', 'ess-9'],
    ['the beginning of its e-mail address', 'a.king@'],
    ['the end of its e-mail address', 'example.org'],
    ['blanks around a part', '  Ada '],
  ])('by %s', (_, pattern) => {
    const ada = { displayName: 'Ada Ahlgren', username: 'countess-9', email: 'a.king@example.org' };
    expect(found(pattern, ada, { displayName: 'Lin' })).toEqual(['countess-9']);
  });

  test('by the name of its object, if that is its username', () => {
    const users = [searchableUser(userObject('home/release-bot'))];
    expect(searchUsers(users, 'release')).toHaveLength(1);
  });

  test.each([
    ['José', 'jose'],
    ['Jose', 'JOSÉ'],
    ['Jose\u0301', 'josé'],
    ['José', 'Jose\u0301'],
    ['Straße', 'STRASSE'],
    ['Strasse', 'straße'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
    ['Οδυσσεύς Α', 'ΟΔΥΣΣΕΥΣ Α'],
    ['İpek Işık', 'ipek isik'],
    ['Nguyễn Đức', 'nguyen duc'],
    ['Łukasz', 'lukasz'],
    ['Søren Kjær', 'soren kjaer'],
    ['Андрей', 'андреи'],
    ['Ａｄａ', 'ada'],
    ['Jeﬀ', 'jeff'],
    ['Ada\u00a0Ahlgren', 'ada ahlgren'],
    ['김하나', '하나'],
    ['李小龙', '小龙'],
  ])('%s by %s: case, accents, width and composition do not count', (name, pattern) => {
    expect(isFound(name, pattern)).toBe(true);
  });

  test.each([
    ['%', '100% Ada', '0% A', '%%'],
    ['_', 'ada_a', 'a_a', 'a__'],
    ['.', 'ada.a', 'a.a', 'a.d'],
    ['*', 'a*da', 'a*', '.*'],
    ['a bracket', 'ada (ops)', '(o', '(['],
    ['a backslash', 'ada\\d', 'a\\d', '\\w'],
    ['^ and $', '^ada$', '^ad', '^a.*$'],
  ])('%s matches itself', (_, name, pattern, other) => {
    expect([isFound(name, pattern), isFound(name, other)]).toEqual([true, false]);
  });

  test('in the given order, and no more than the bound', () => {
    const specs = Array.from({ length: MAX_FOUND_USERS + 5 }, (_, index) => ({ username: `bot-${index}` }));
    expect(found('bot', { username: 'ada' }, ...specs)).toEqual(
      specs.slice(0, MAX_FOUND_USERS).map(({ username }) => username),
    );
    expect(found(`bot-${MAX_FOUND_USERS + 4}`, ...specs)).toEqual([`bot-${MAX_FOUND_USERS + 4}`]);
  });

  test('once, even if name, username and address match', () => {
    expect(found('ada', { displayName: 'Ada', username: 'ada', email: 'ada@example.com' })).toEqual(['ada']);
  });
});

describe('no user is found', () => {
  const ada = { displayName: 'Ada xy ´´ ß한é \u0301\u0302', username: 'ada', email: 'ada@example.com' };

  test.each([
    ['nothing', ''],
    ['one character', 'a'],
    ['one character with blanks around', ' a  '],
    ['blanks', '     '],
    ['one composed character', 'é'],
    ['one decomposed character', 'e\u0301'],
    ['one character that folds to two', 'ß'],
    ['one syllable of three letters', '한'],
    ['one character of two code units', '🚩'],
    ['accents alone', '\u0301\u0302\u0303'],
    ['accents that stand on blanks', '´´'],
  ])('by %s', (_, pattern) => {
    expect(found(pattern, { ...ada, displayName: `${ada.displayName} 🚩` })).toEqual([]);
  });

  test('by a text that spans two of its texts', () => {
    expect(found('xa', { displayName: 'x', username: 'ada' })).toEqual([]);
    expect(found('x\nada', { displayName: 'x', username: 'ada' })).toEqual([]);
    expect(found('x\u0000ada', { displayName: 'x', username: 'ada' })).toEqual([]);
  });

  test.each([
    ['किरण', 'करण'],
    ['ที่ดี', 'ทด'],
  ])('%s by %s: vowel signs are no accents', (name, pattern) => {
    expect(isFound(name, pattern)).toBe(false);
  });

  test('by its picture, its role, or the name of its object if it has a username', () => {
    const users = [
      searchableUser(
        userObject('home/object', { username: 'ada', imageUrl: 'https://pictures.example', rootRole: 'Admin' }),
      ),
    ];
    for (const pattern of ['pictures', 'admin', 'object']) expect(searchUsers(users, pattern)).toEqual([]);
  });
});

describe('for any name', () => {
  const runs = { seed: 1000, numRuns: 300 };
  const text = (minLength: number) => fc.string({ unit: 'grapheme', minLength, maxLength: 12 });
  const rewritings: Readonly<Record<string, (text: string) => string>> = {
    'as it is': (one) => one,
    'in lower case': (one) => one.toLowerCase(),
    'in upper case': (one) => one.toUpperCase(),
    composed: (one) => one.normalize('NFC'),
    decomposed: (one) => one.normalize('NFD'),
    'compatibly decomposed': (one) => one.normalize('NFKD'),
    'in lower case and decomposed': (one) => one.toLowerCase().normalize('NFD'),
    folded,
  };

  test.each(Object.entries(rewritings))('a part of it finds it: %s', (_, rewrite) => {
    fc.assert(
      fc.property(text(0), text(2), text(0), (before, part, after) => {
        // The cases above are about patterns that are too short. "xx" makes this pattern long enough, whatever the part
        // folds to.
        const pattern = rewrite(`xx${part}`);
        expect(isFound(`${before}xx${part}${after}`, pattern)).toBe(true);
      }),
      runs,
    );
  });

  test('every letter, in any case, composed or not, folds alike', () => {
    const differing = everyLetter().flatMap((letter) => {
      const want = folded(letter);
      const forms = [
        letter.toLowerCase(),
        letter.toUpperCase(),
        letter.normalize('NFD'),
        letter.normalize('NFKC'),
        want,
      ];
      return forms.every((form) => folded(form) === want) ? [] : [letter];
    });
    expect(differing).toEqual([]);
  });

  test('each user found has a text that contains the pattern, folded', () => {
    const names = fc.array(fc.string({ unit: fc.constantFrom('a', 'É', '%', ' '), maxLength: 6 }), { maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('A', 'e', '%'), minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(names, pattern, (all, q) => {
        const plain = (one: string) => one.replaceAll('É', 'e').toLowerCase();
        const want = all.flatMap((name, index) => (plain(name).includes(q.toLowerCase()) ? [`${index}`] : []));
        expect(found(q, ...all.map((displayName) => ({ displayName })))).toEqual(want);
      }),
      runs,
    );
  });

  test('folding a folded text changes nothing', () => {
    fc.assert(
      fc.property(text(0), (one) => {
        expect(folded(folded(one))).toBe(folded(one));
      }),
      runs,
    );
  });
});

function everyLetter(): string[] {
  const letters = Array.from({ length: 0x32000 }, (_, point) => String.fromCodePoint(point));
  return letters.filter((letter) => /\p{L}/u.test(letter));
}
