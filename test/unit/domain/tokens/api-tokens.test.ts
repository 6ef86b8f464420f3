/** API tokens: the meaning of a Secret for a token, when a token is in force, what its status says. */
import { describe, expect, test } from 'vitest';
import { type ApiTokenInContext, judgeApiToken } from '../../../../src/domain/tokens/judge-api-token.ts';
import {
  type FoundSecret,
  type SecretState,
  secretStateOf,
  tokenLabelOf,
  uncheckedSecretState,
} from '../../../../src/domain/tokens/token-secret.ts';
import type { UserLookup } from '../../../../src/domain/tokens/token-user.ts';
import { isExpired, isValidToken } from '../../../../src/domain/tokens/token-validity.ts';
import { digestOf, newTokenValue } from '../../../../src/domain/tokens/token-value.ts';
import { TOKEN_LABEL } from '../../../../src/schema/api-token.ts';
import { CREATED, tokenObject, userObject } from '../objects.ts';

const NOW = Date.parse(CREATED);
const DIGITS = '0'.repeat(56);
const VALUE = `*:production.${DIGITS}`;
const OLD = digestOf('the-value-that-was-there-before');
const SECRET = { secretRef: { name: 's' } };

describe('a new value', () => {
  test.each([
    [{ type: 'admin' }, `*:*.${DIGITS}`],
    [{ type: 'client', environment: 'production' }, VALUE],
    [{ type: 'client', environment: 'production', projects: null }, VALUE],
    [{ type: 'frontend', environment: 'e.1', projects: ['shop'] }, `shop:e.1.${DIGITS}`],
    [{ type: 'client', environment: 'e', projects: ['shop', 'pay'] }, `[]:e.${DIGITS}`],
    [{ type: 'personal', user: 'ada' }, `user:${DIGITS}`],
  ] as const)('of %j is %s', (spec, want) => {
    expect(
      newTokenValue({ ...spec, projects: 'projects' in spec ? spec.projects && [...spec.projects] : null }, DIGITS),
    ).toBe(want);
  });

  test('has the digest that anyone can compute', () => {
    expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('a Secret', () => {
  const labels = { [TOKEN_LABEL]: 't' };
  const found = (parts: Partial<FoundSecret>): FoundSecret => ({ labels, owners: ['home/t'], value: VALUE, ...parts });
  const fresh = tokenObject('home/t');
  const known = tokenObject('home/t', {}, { status: { sha256: OLD } });
  const bringing = tokenObject('home/t', SECRET, { status: { sha256: OLD } });
  const value: SecretState = { state: 'value', sha256: digestOf(VALUE) };
  const kept: SecretState = { state: 'kept', sha256: OLD };

  test.each<[string, typeof fresh, FoundSecret | undefined, SecretState]>([
    ['that is not there leaves a fresh token with none', fresh, undefined, { state: 'none' }],
    ['that is its own gives it a value', fresh, found({}), value],
    ['without the label is foreign', fresh, found({ labels: {} }), { state: 'foreign' }],
    ['with another label is foreign', fresh, found({ labels: { [TOKEN_LABEL]: 'u' } }), { state: 'foreign' }],
    ['of an earlier token is foreign', fresh, found({ owners: ['before'] }), { state: 'foreign' }],
    ['without an owner is foreign', fresh, found({ owners: [] }), { state: 'foreign' }],
    ['without a value is unusable', fresh, found({ value: undefined }), { state: 'unusable' }],
    ['that is gone leaves the digest', known, undefined, kept],
    ['that another user has created in its place leaves the digest', known, found({ owners: [] }), kept],
    ['with another value wins over the digest', known, found({}), value],
    ['that the spec names needs no owner', bringing, found({ owners: [] }), value],
    ['that the spec names and is gone leaves nothing', bringing, undefined, { state: 'missing' }],
    [
      'that the spec names and is another’s is as one that is gone',
      bringing,
      found({ labels: {} }),
      { state: 'missing' },
    ],
    ['with a value of 15 characters is unusable', bringing, found({ value: 'x'.repeat(15) }), { state: 'unusable' }],
    ['with a value of 513 characters is unusable', bringing, found({ value: 'x'.repeat(513) }), { state: 'unusable' }],
    ['with a line break is unusable', bringing, found({ value: `${VALUE}\n` }), { state: 'unusable' }],
    ['with a space is unusable', bringing, found({ value: 'x y'.repeat(8) }), { state: 'unusable' }],
    ['with a letter beyond ASCII is unusable', bringing, found({ value: 'å'.repeat(20) }), { state: 'unusable' }],
    ['with a NUL is unusable', bringing, found({ value: `${VALUE}\0` }), { state: 'unusable' }],
    ['with nothing is unusable', bringing, found({ value: '' }), { state: 'unusable' }],
  ])('%s', (_, token, secret, want) => {
    expect(secretStateOf(token, secret)).toEqual(want);
  });

  test('that is not read keeps only the digest of a generated value', () => {
    expect([uncheckedSecretState(known), uncheckedSecretState(bringing)]).toEqual([
      { state: 'unasked', sha256: OLD },
      { state: 'unasked', sha256: undefined },
    ]);
  });

  test.each([
    ['t', 't'],
    ['x'.repeat(63), 'x'.repeat(63)],
    ['x'.repeat(64), expect.stringMatching(/^x{52}-[0-9a-f]{10}$/)],
  ])('of a token called %s has that label', (name, want) => {
    expect(tokenLabelOf(tokenObject(`home/${name}`))).toEqual(want);
  });
});

describe('in force', () => {
  const having = { status: { sha256: OLD } };
  test.each([
    ['is one with a digest', tokenObject('home/t', {}, having), true],
    ['is one that expires in a moment', tokenObject('home/t', { expiresAt: '2026-01-01T00:00:00.001Z' }, having), true],
    ['is none that expires now', tokenObject('home/t', { expiresAt: CREATED }, having), false],
    [
      'is none that expires now elsewhere',
      tokenObject('home/t', { expiresAt: '2026-01-01T02:00:00+02:00' }, having),
      false,
    ],
    ['is none without a digest', tokenObject('home/t'), false],
    ['is none that is being deleted', tokenObject('home/t', {}, { ...having, deletionTimestamp: CREATED }), false],
    ['is none whose stored time cannot be read', tokenObject('home/t', { expiresAt: 'soon' }, having), false],
    [
      'is none whose stored scope contradicts its type',
      tokenObject('home/t', { type: 'admin', environment: 'e' }, having),
      false,
    ],
    ['is none that is stored without a type', tokenObject('home/t', { type: undefined }, having), false],
  ])('%s', (_, token, want) => {
    expect(isValidToken(token, NOW)).toBe(want);
  });

  test('never ends if no time is set', () => {
    expect(isExpired(tokenObject('home/t'), Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

describe('the verdict', () => {
  const value: SecretState = { state: 'value', sha256: digestOf(VALUE) };
  const all = { project: () => true, environment: () => true };
  const ada = userObject('home/ada', {}, { status: { id: 7 } });
  const adaIsThere: UserLookup = { user: ada, isClaimed: true };
  const noUserExists: UserLookup = { user: undefined, isClaimed: false };
  const personal = (status?: object) =>
    tokenObject('home/t', { type: 'personal', user: 'ada' }, status ? { status } : {});
  const judge = (parts: Partial<ApiTokenInContext>) => {
    const token = tokenObject('home/t');
    return judgeApiToken(
      {
        token,
        conflictingOwner: undefined,
        holding: value,
        valueConflictWith: undefined,
        userLookup: adaIsThere,
        exists: all,
        ...parts,
      },
      NOW,
    );
  };
  const recorded = (parts: Partial<ApiTokenInContext>) => {
    const { status } = judge(parts);
    return [
      ...(status.conditions ?? []).map((one) => `${one.type} ${one.status}`),
      ...(status.problems ?? []).map((one) => `${one.severity} ${one.reason} ${one.path}`),
    ];
  };
  const stalled = ['Ready False', 'Stalled True'];
  const waiting = ['Ready False', 'Reconciling True'];
  const conflictingOwner = { namespace: 'home', name: 'older' };

  test.each<[string, Partial<ApiTokenInContext>, readonly string[]]>([
    ['all is well', {}, ['Ready True']],
    ['its name is taken', { conflictingOwner }, [...stalled, 'Error NameConflict spec.name']],
    ['its value is taken', { valueConflictWith: conflictingOwner }, [...stalled, 'Error TokenConflict spec.secretRef']],
    [
      'it is over',
      { token: tokenObject('home/t', { expiresAt: CREATED }) },
      [...stalled, 'Error Expired spec.expiresAt'],
    ],
    [
      'its user is missing',
      { token: personal(), userLookup: noUserExists },
      [...waiting, 'Error UserNotFound spec.user'],
    ],
    ['its user is the one that was noted', { token: personal({ userId: 7, sha256: OLD }) }, ['Ready True']],
    [
      'another user has the name of its user',
      { token: personal({ userId: 3, sha256: OLD }) },
      [...stalled, 'Error UserReplaced spec.user'],
    ],
    [
      'one of its projects is missing',
      {
        token: tokenObject('home/t', { projects: ['shop', 'pay'] }),
        exists: { ...all, project: (id) => id === 'shop' },
      },
      [...waiting, 'Error ProjectNotFound spec.projects'],
    ],
    [
      'its environment is missing',
      { exists: { ...all, environment: () => false } },
      [...waiting, 'Error EnvironmentNotFound spec.environment'],
    ],
    ['its Secret is missing', { holding: { state: 'missing' } }, [...waiting, 'Error SecretNotFound spec.secretRef']],
    [
      'its Secret holds no value',
      { holding: { state: 'unusable' } },
      [...waiting, 'Error SecretUnusable spec.secretRef'],
    ],
    [
      'the name of its Secret is taken',
      { holding: { state: 'foreign' } },
      [...waiting, 'Error SecretNotOurs spec.secretRef'],
    ],
    [
      'its generated Secret is gone',
      { holding: { state: 'kept', sha256: OLD } },
      ['Ready True', 'Warning SecretMissing spec.secretRef'],
    ],
    [
      'it is stored with what is refused today',
      { token: tokenObject('home/t', { type: 'admin', environment: 'e' }) },
      [...stalled, 'Error InvalidSpec spec.environment'],
    ],
  ])('when %s', (_, parts, want) => {
    expect(recorded(parts)).toEqual(want);
  });

  test('has the digest and the Secret, and keeps when it was seen', () => {
    const token = tokenObject('home/t', SECRET, { status: { seenAt: CREATED, sha256: OLD } });
    const { status } = judge({ token });
    expect(status).toMatchObject({ sha256: digestOf(VALUE), secretName: 's', seenAt: CREATED });
    const gone = judge({ token, holding: { state: 'missing' } }).status;
    expect([gone.sha256, gone.secretName, gone.seenAt]).toEqual([undefined, undefined, CREATED]);
  });

  test.each<[string, object, UserLookup, { userId?: number; sha256?: string }]>([
    ['a new token', {}, adaIsThere, { userId: 7, sha256: digestOf(VALUE) }],
    ['one that is before its user, without its value', {}, noUserExists, {}],
    ['one whose user has no id yet', {}, { user: undefined, isClaimed: true }, {}],
    ['one that is noted, and the user gone', { userId: 3, sha256: OLD }, noUserExists, { userId: 3 }],
    ['one that is noted, and another user there', { userId: 3, sha256: OLD }, adaIsThere, { userId: 3 }],
    ['one of an earlier version', { sha256: OLD }, adaIsThere, { userId: 7 }],
    ['one of an earlier version whose user is gone: no user has this id', { sha256: OLD }, noUserExists, { userId: 0 }],
    ['one of an earlier version whose user has no id yet', { sha256: OLD }, { user: undefined, isClaimed: true }, {}],
  ])('records the user of %s', (_, status, userLookup, want) => {
    const { userId, sha256 } = judge({ token: personal(status), userLookup }).status;
    const isBefore = 'sha256' in status;
    expect({ userId, sha256 }).toEqual({
      userId: want.userId,
      sha256: isBefore ? digestOf(VALUE) : want.sha256,
    });
  });

  const MINUTE_MS = 60_000;
  test.each<[string, Partial<ApiTokenInContext>, number | undefined]>([
    ['a generated value', {}, 10 * MINUTE_MS],
    ['a value of one’s own', { token: tokenObject('home/t', SECRET) }, MINUTE_MS],
    ['a Secret that is missing', { holding: { state: 'missing' } }, MINUTE_MS / 6],
    ['a token that expires before that', { token: tokenObject('home/t', { expiresAt: '2026-01-01T00:00:05Z' }) }, 5000],
    ['a token that is over and has no value', { holding: { state: 'none' } }, undefined],
    ['a token whose name is taken', { holding: { state: 'unasked', sha256: undefined } }, undefined],
  ])('is judged again at %s in time', (_, parts, want) => {
    expect(judge(parts).recheckInMs).toBe(want);
  });
});
