/** The note of an Event for each type of entry, without e-mail addresses. */
import { describe, expect, test } from 'vitest';
import { eventTextOf } from '../../../../src/audit/publish/event-note.ts';
import type { NewEntry } from '../../../../src/domain/history/entry.ts';
import { type AuditEventType, auditEventTypes } from '../../../../src/domain/history/event-types.ts';
import { maskAddresses, maskJsonText } from '../../../../src/domain/history/masked-addresses.ts';

function entry(type: AuditEventType, more: Partial<NewEntry> = {}): NewEntry {
  return {
    type,
    project: null,
    environment: null,
    featureName: null,
    data: null,
    preData: null,
    tags: [],
    subject: '',
    createdBy: 'ada',
    createdByUserId: 7,
    ip: null,
    ...{ channel: null, fieldManager: null, reason: null },
    resource: 'environments',
    namespace: 'home',
    object: 'the-object',
    uid: 'u',
    fromVersion: '1',
    toVersion: '2',
    coalesced: false,
    earliestAt: null,
    key: 'k',
    createdAt: 0,
    restored: false,
    ...more,
  };
}

const flag = { featureName: 'checkout', project: 'shop' };
const there = { ...flag, environment: 'production' };
const rollout = { ...there, data: { name: 'flexibleRollout' } };
const shop = { project: 'shop' };
const bob = { ...shop, subject: 'bob' };
const qa = { environment: 'qa' };

/** What happened, to an object without effect. */
const dormant: readonly (readonly [AuditEventType, string])[] = [
  ['feature-created', 'Flag the-object was created in namespace home, without effect by ada'],
  ['feature-deleted', 'Flag the-object was deleted in namespace home, without effect by ada'],
];

const wanted: Readonly<Record<AuditEventType, readonly [Partial<NewEntry>, string]>> = {
  'feature-created': [flag, 'Flag checkout was created in project shop by ada'],
  'feature-deleted': [flag, 'Flag checkout was deleted from project shop by ada'],
  'feature-updated': [flag, 'Flag checkout was edited by ada'],
  'feature-metadata-updated': [
    {
      ...flag,
      data: { type: 'a', description: 'b', stale: true },
      preData: { type: 'c', description: 'b', stale: false },
    },
    'Flag checkout was edited (type, stale) by ada',
  ],
  'feature-variants-updated': [flag, 'The variants of flag checkout were changed by ada'],
  'feature-environment-variants-updated': [
    there,
    'The variants of flag checkout were changed for the production environment by ada',
  ],
  'feature-archived': [flag, 'Flag checkout was archived by ada'],
  'feature-revived': [flag, 'Flag checkout was revived by ada'],
  'feature-tagged': [{ ...flag, subject: 'team:pay' }, 'Flag checkout was tagged with team:pay by ada'],
  'feature-untagged': [{ ...flag, subject: 'team:pay' }, 'The tag team:pay was taken off flag checkout by ada'],
  'feature-dependency-added': [{ ...flag, subject: 'pay' }, 'Flag checkout was made to depend on pay by ada'],
  'feature-dependency-removed': [{ ...flag, subject: 'pay' }, 'Flag checkout was made independent of pay by ada'],
  'feature-strategy-add': [
    rollout,
    'A flexibleRollout strategy was added to flag checkout for the production environment by ada',
  ],
  'feature-strategy-update': [
    rollout,
    'A flexibleRollout strategy of flag checkout was changed for the production environment by ada',
  ],
  'feature-strategy-remove': [
    { ...there, preData: { name: 'default' } },
    'A default strategy was removed from flag checkout for the production environment by ada',
  ],
  'strategy-order-changed': [
    there,
    'The strategies of flag checkout were reordered for the production environment by ada',
  ],
  'feature-stale-on': [flag, 'Flag checkout was marked as stale by ada'],
  'feature-stale-off': [flag, 'The stale mark was taken off flag checkout by ada'],
  'feature-potentially-stale-on': [
    { ...flag, createdBy: 'unleash_system_user', createdByUserId: -1337 },
    'Flag checkout has lived longer than expected and may be stale',
  ],
  'feature-window-updated': [there, 'The window of flag checkout was changed for the production environment by ada'],
  'feature-window-opened': [
    there,
    'The window of flag checkout opened for the production environment, as planned by ada',
  ],
  'feature-window-closed': [
    there,
    'The window of flag checkout closed for the production environment, as planned by ada',
  ],
  'feature-ramp-step': [
    { ...there, data: { rollout: 25 } },
    'A ramp of flag checkout reached 25 % for the production environment, as planned by ada',
  ],
  'feature-freeze-bypassed': [
    { ...there, data: { name: 'year-end', until: '2027-01-02T23:00:00Z', reason: 'Checkout fails' } },
    'Flag checkout was changed in production during the freeze year-end, by bypass by ada',
  ],
  'feature-alert-action': [
    { ...there, data: { alert: 'CheckoutErrors', action: 'off' } },
    'Alert CheckoutErrors acted on flag checkout in production (off) by ada',
  ],
  'feature-environment-enabled': [there, 'Flag checkout was enabled for the production environment by ada'],
  'feature-environment-disabled': [there, 'Flag checkout was disabled for the production environment by ada'],
  'strategy-created': [{ data: { name: 'beta' } }, 'Strategy type beta was created by ada'],
  'strategy-updated': [{ data: { name: 'beta' } }, 'Strategy type beta was edited by ada'],
  'strategy-deleted': [{ preData: { name: 'beta' } }, 'Strategy type beta was deleted by ada'],
  'strategy-deprecated': [{ data: { name: 'beta' } }, 'Strategy type beta was deprecated by ada'],
  'strategy-reactivated': [{ data: { name: 'beta' } }, 'Strategy type beta was reactivated by ada'],
  'segment-created': [{ data: { name: 'beta' } }, 'Segment beta was created by ada'],
  'segment-updated': [{ data: { name: 'beta' } }, 'Segment beta was edited by ada'],
  'change-request-created': [
    { ...there, data: { name: 'checkout-1' } },
    'The change request checkout-1 for flag checkout was made by ada',
  ],
  'change-request-cancelled': [
    { ...there, data: { name: 'checkout-1' } },
    'The change request checkout-1 for flag checkout was withdrawn by ada',
  ],
  'change-request-expired': [
    { ...there, createdBy: 'unleash_system_user', createdByUserId: -1337, data: { name: 'checkout-1' } },
    'The change request checkout-1 for flag checkout expired without the change',
  ],
  'change-request-outdated': [
    { ...there, createdBy: 'unleash_system_user', createdByUserId: -1337, data: { name: 'checkout-1' } },
    'The change request checkout-1 for flag checkout is outdated, because its target has changed',
  ],
  'change-request-deleted': [
    { ...there, preData: { name: 'checkout-1' } },
    'The change request checkout-1 for flag checkout was deleted by ada',
  ],
  'change-request-approval-added': [there, 'A change request for flag checkout was approved by ada'],
  'change-request-rejected': [there, 'A change request for flag checkout was rejected by ada'],
  'change-request-comment-added': [there, 'A change request for flag checkout got a comment by ada'],
  'change-request-comment-removed': [there, 'A comment on a change request for flag checkout was removed by ada'],
  'change-request-approval-changed': [there, 'A decision on a change request for flag checkout was edited by ada'],
  'change-request-approval-removed': [there, 'A decision on a change request for flag checkout was taken back by ada'],
  'change-request-applied': [
    { ...there, subject: 'checkout-1', data: { request: 'checkout-1', approvedBy: 'bob, eve' } },
    'The change request checkout-1 for flag checkout, approved by bob, eve, was applied by ada',
  ],
  'segment-deleted': [{ preData: { name: 'beta' } }, 'Segment beta was deleted by ada'],
  'project-created': [shop, 'Project shop was created by ada'],
  'project-updated': [shop, 'Project shop was edited by ada'],
  'project-deleted': [shop, 'Project shop was deleted by ada'],
  'project-user-added': [
    { ...bob, data: { roleName: 'Owner', email: 'bob@example.com' } },
    'User bob was added to project shop as Owner by ada',
  ],
  'project-user-removed': [bob, 'User bob was removed from project shop by ada'],
  'project-user-role-changed': [
    { ...bob, data: { roleName: 'Owner' }, preData: { roleName: 'Member' } },
    'The role of user bob in project shop was changed from Member to Owner by ada',
  ],
  'project-environment-added': [{ ...shop, ...qa }, 'Environment qa was added to project shop by ada'],
  'project-environment-removed': [{ ...shop, ...qa }, 'Environment qa was removed from project shop by ada'],
  'environment-created': [qa, 'Environment qa was created by ada'],
  'environment-updated': [qa, 'Environment qa was edited by ada'],
  'environment-freeze-began': [
    { ...qa, data: { name: 'year-end' } },
    'The freeze year-end of environment qa began, as planned by ada',
  ],
  'environment-freeze-ended': [
    { ...qa, data: { name: 'year-end' } },
    'The freeze year-end of environment qa ended, as planned by ada',
  ],
  'environment-deleted': [qa, 'Environment qa was deleted by ada'],
  'user-created': [{ data: { username: 'bob' } }, 'User bob was created by ada'],
  'user-updated': [{ data: { username: 'bob' } }, 'User bob was edited by ada'],
  'user-deleted': [{ preData: { username: 'bob' } }, 'User bob was deleted by ada'],
  'history-person-forgotten': [
    { data: { pseudonym: 'forgotten-abcd2345' } },
    'A person was forgotten in the history, as forgotten-abcd2345, by ada',
  ],
  'role-created': [{ data: { name: 'tester' } }, 'Role tester was created by ada'],
  'role-updated': [{ data: { name: 'tester' } }, 'Role tester was edited by ada'],
  'role-deleted': [{ preData: { name: 'tester' } }, 'Role tester was deleted by ada'],
  'pat-created': [{ data: { tokenName: 'mine' } }, 'The personal token mine was created by ada'],
  'pat-deleted': [{ preData: { tokenName: 'mine' } }, 'The personal token mine was deleted by ada'],
  'api-token-created': [{ data: { tokenName: 'ci' } }, 'The API token ci was created by ada'],
  'api-token-updated': [{ data: { tokenName: 'ci' } }, 'The API token ci was edited by ada'],
  'api-token-deleted': [{ preData: { tokenName: 'ci' } }, 'The API token ci was deleted by ada'],
  'notification-sink-created': [{ data: { name: 'chat' } }, 'The notification sink chat was created by ada'],
  'notification-sink-updated': [{ data: { name: 'chat' } }, 'The notification sink chat was edited by ada'],
  'notification-sink-deleted': [{ preData: { name: 'chat' } }, 'The notification sink chat was deleted by ada'],
};

test.each(auditEventTypes.map((type) => [type, ...wanted[type]] as const))('%s', (type, more, want) => {
  expect(eventTextOf([entry(type, more)]).note).toBe(want);
});

test.each(dormant)('%s of an object without effect names its namespace', (type, want) => {
  expect(eventTextOf([entry(type, { resource: 'featureflags', featureName: 'the-object' })]).note).toBe(want);
});

test('the reason is the type in UpperCamelCase', () => {
  const reasons = auditEventTypes.map((type) => eventTextOf([entry(type)]).reason);
  expect(reasons).toContain('FeatureEnvironmentEnabled');
  expect(new Set(reasons).size).toBe(auditEventTypes.length);
  expect(reasons.filter((reason) => !/^[A-Z][A-Za-z]{1,127}$/.test(reason))).toEqual([]);
});

test('of several entries has a sentence for each, with the author and the time once', () => {
  const strategy = { data: { name: 'default' }, environment: 'production' };
  const several = [
    entry('feature-created', { ...flag, coalesced: true }),
    entry('feature-strategy-add', { ...flag, ...strategy }),
    entry('feature-environment-enabled', { ...flag, environment: 'production' }),
  ] as const;
  expect(eventTextOf(several)).toEqual({
    reason: 'FeatureCreated',
    note: [
      'Flag checkout was created in project shop by ada',
      'A default strategy was added to flag checkout for the production environment',
      'Flag checkout was enabled for the production environment (several changes at once)',
    ].join('. '),
  });
});

describe('the author', () => {
  const noteOf = (more: Partial<NewEntry>) => eventTextOf([entry('feature-archived', { ...flag, ...more })]).note;
  test.each([
    ['came through the API', { ip: '10.1.2.3' }, 'by ada (api)'],
    ['used the console', { channel: 'console' }, 'by ada (console)'],
    ['let an alert act', { channel: 'alert' }, 'by ada (alert)'],
    ['used kubectl', { channel: 'kubernetes', fieldManager: 'kubectl-edit' }, 'by ada'],
    ['said why', { channel: 'api', reason: 'Checkout fails' }, 'by ada (api). Reason: Checkout fails'],
    ['is unknown', { createdBy: 'unknown', createdByUserId: -1 }, 'by someone unknown'],
    ['is Vexil itself', { createdBy: 'unleash_system_user', createdByUserId: -1337 }, 'by Vexil'],
    ['is a program', { createdBy: 'field manager helm', createdByUserId: -1 }, 'by field manager helm'],
    ['names an address', { createdBy: 'ada@example.com' }, 'by a…@example.com'],
    ['breaks the line', { createdBy: 'ada\nFlag x was deleted\u0000' }, 'by ada Flag x was deleted '],
    ['did several things', { coalesced: true }, 'by ada (several changes at once)'],
    [
      'did several things between two times',
      {
        coalesced: true,
        earliestAt: Date.parse('2026-03-01T12:00:00Z'),
        createdAt: Date.parse('2026-03-01T12:10:00Z'),
      },
      'by ada (several changes at once, between 2026-03-01T12:00:00.000Z and 2026-03-01T12:10:00.000Z)',
    ],
    [
      'did something between two times',
      { earliestAt: Date.parse('2026-03-01T12:00:00Z'), createdAt: Date.parse('2026-03-01T12:10:00Z') },
      'by ada (between 2026-03-01T12:00:00.000Z and 2026-03-01T12:10:00.000Z)',
    ],
  ] as const satisfies readonly (readonly [string, Partial<NewEntry>, string])[])('who %s', (_, more, want) => {
    expect(noteOf(more)).toBe(`Flag checkout was archived ${want}`);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('may have a name that is too long, from byte %i on', (start) => {
    const note = noteOf({ createdBy: `${'x'.repeat(start)}${'𝄞é'.repeat(1000)}`, coalesced: true });
    const bytes = Buffer.byteLength(note);
    expect(bytes).toBeLessThanOrEqual(1024);
    expect(bytes).toBeGreaterThan(1020);
    expect(note).toMatch(/x[𝄞é]+ \(several changes at once\)$/u);
  });
});

describe('an address is masked', () => {
  test.each([
    ['by itself', 'ada@example.com', 'a…@example.com'],
    ['once only', 'a…@example.com', 'a…@example.com'],
    ['of one letter', 'a@example.com', 'a…@example.com'],
    ['in a sentence', 'for ada.b+c@example.com, (eve@x) and <bob@y.z>.', 'for a…@example.com, (e…@x) and <b…@y.z>.'],
    ['after a colon, which an address may have', 'tagged with owner:ada@example.com', 'tagged with o…@example.com'],
    ['with a comma', 'User first,last.secret@example.com was added', 'User f…@example.com was added'],
    ['with a comma by itself', 'first,last.secret@example.com', 'f…@example.com'],
    ['with a bracket, after another', 'ada@a.com,(x)la;st@b.com', 'a…@a.com,(x…@b.com'],
    ['with a blank that is none for FlagUser', 'User a\u00a0secret@b.c', 'User a…@b.c'],
    ['beside another', 'ada@a.com,bob@b.com;eve@c.com', 'a…@a.com,b…@b.com;e…@c.com'],
    ['in a URL', 'mailto:ada@example.com', 'm…@example.com'],
    ['with an apostrophe', "o'neil@example.com", 'o…@example.com'],
    ['in quotes', '"ada"@example.com', '"a…@example.com'],
    ['in quotes in a sentence', 'by "ada"@example.com', 'by "a…@example.com'],
    ['with letters of two units', '𝄞da@example.com', '𝄞…@example.com'],
    ['not where there is none', 'a @ b, @name, x@ and 5', 'a @ b, @name, x@ and 5'],
  ])('%s', (_, text, want) => {
    expect(maskAddresses(text)).toBe(want);
  });

  test('in every text of a value, also in keys', () => {
    const value = { email: 'ada@example.com', n: 1, no: null, list: ['x', ['bob@b.c']], in: { 'eve@c.d': true } };
    expect(JSON.parse(maskJsonText(JSON.stringify(value)))).toEqual({
      email: 'a…@example.com',
      n: 1,
      no: null,
      list: ['x', ['b…@b.c']],
      in: { 'e…@c.d': true },
    });
  });

  test('at any depth, with unchanged keys and quotes', () => {
    const deep = `${'{"a":'.repeat(20_000)}"ada@example.com"${'}'.repeat(20_000)}`;
    expect(maskJsonText(deep)).toBe(deep.replace('ada@', 'a…@'));
    const odd = JSON.stringify({ ['__proto__']: 'say "ada@b.c"\\', 'n@b.c': 'x' });
    expect(maskJsonText(odd)).toBe(JSON.stringify({ ['__proto__']: 'say "a…@b.c"\\', 'n…@b.c': 'x' }));
  });

  test('also in a long text, which would take minutes if the time grew with the square of its length', () => {
    const words = ['x'.repeat(200_000), `${'x'.repeat(200_000)}@`, 'a@'.repeat(100_000), '"'.repeat(200_000)];
    for (const word of words) {
      expect(maskAddresses(`a@b ${word}`)).toContain('a…@b');
      expect(maskJsonText(JSON.stringify({ [word]: `a@b ${word}` }))).toContain('a…@b');
    }
  });
});
