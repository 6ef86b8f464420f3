/** What a notification sink gets, and how it is, in words. */
import { describe, expect, test } from 'vitest';
import { filterText, lagText, trouble } from '../../../console/src/notifications/sink-text.ts';

const nothing = { projects: [], environments: [], types: [], expression: null };

test.each([
  ['Every change', {}],
  ['Changes of project shop', { projects: ['shop'] }],
  [
    'Changes of projects shop or pay, environment production',
    { projects: ['shop', 'pay'], environments: ['production'] },
  ],
  ['Changes of types a or b or c or d or e or 2 more', { types: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }],
])('%s', (text, filter) => {
  expect(filterText({ ...nothing, ...filter })).toBe(text);
});

test.each([
  ['', null],
  ['none', { entries: 0, seconds: 0 }],
  ['1 entry, 50 s', { entries: 1, seconds: 50 }],
  ['20 entries, 2 min', { entries: 20, seconds: 130 }],
  ['20 entries, 3 d', { entries: 20, seconds: 260_000 }],
])('the lag "%s"', (text, lag) => {
  expect(lagText(lag)).toBe(text);
});

describe('what is wrong', () => {
  const sink = {
    ...{ namespace: 'home', name: 'changes', type: 'Webhook' as const, host: 'hooks.example.com', filter: nothing },
    ...{ subject: null, lastSetAside: null },
    ...{ ready: true, reason: null, lastDelivered: null, lag: null, failingSince: null, lastError: null, setAside: 0 },
  };
  const failing = { ready: false, reason: 'ReceiverFailing', failingSince: '2026-03-01T09:30:00.000Z' };

  test.each([
    ['nothing', undefined, {}],
    ['nothing before the operator has judged', undefined, { ready: null }],
    ['the receiver fails', /^Failing since .*2026.*: answered 500$/, { ...failing, lastError: 'answered 500' }],
    ['the address', /^The address of the URL is not public/, { ready: false, reason: 'AddressNotAllowed' }],
    ['another reason', /^The sink is not in effect \(InvalidValue\)\.$/, { ready: false, reason: 'InvalidValue' }],
  ])('%s', (_, text, more) => {
    const wrong = trouble({ ...sink, ...more });
    if (text === undefined) expect(wrong).toBeUndefined();
    else expect(wrong).toMatch(text);
  });
});
