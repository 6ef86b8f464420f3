/** The Warning header of an answer about fields taken from other owners. */
import { validateHeaderValue } from 'node:http';
import { expect, test } from 'vitest';
import { createForceContext } from '../../../../src/access/authorization/force-context.ts';
import { createAnswerNotes } from '../../../../src/actions/answer-notes.ts';
import { MAX_WARNING_LENGTH, warningOf } from '../../../../src/http/route/warning.ts';
import { anOwner } from '../../../support/owned-object.ts';

function warningAfter(...fields: readonly (readonly [path: string, manager: string])[]): string | undefined {
  const context = createForceContext(true);
  for (const [path, manager] of fields) context.note([{ path, owners: [anOwner(manager, {})] }]);
  return warningOf(context, createAnswerNotes());
}

test('without taken fields there is none', () => {
  expect(warningAfter()).toBeUndefined();
});

test('fields of a dry run and of the write after it are reported once', () => {
  expect(warningAfter(['spec.type', 'flux'], ['spec.type', 'flux'])).toBe(
    '299 vexil "took 1 field from flux, which may revert it or fail with a conflict: spec.type"',
  );
});

test.each<[string, string, string]>([
  ['a quote', 'a"b\\c', 'a%22b%5Cc'],
  ['no ASCII', 'größe 🚀', 'gr%C3%B6%C3%9Fe %F0%9F%9A%80'],
  ['half a character', 'a\ud800b', 'a%EF%BF%BDb'],
  ['line breaks', 'a\r\nX-Evil: b', 'a%0D%0AX-Evil: b'],
])('%s in a name is encoded so that a header accepts it', (_, name, want) => {
  const warning = warningAfter([`spec.tags[${name}]`, name]) ?? '';
  expect(warning).toContain(`: spec.tags[${want}]"`);
  expect(warning).toContain(`from ${want},`);
  expect(() => validateHeaderValue('Warning', warning)).not.toThrow();
});

test('flags that production still asks for are named with their applications, together with the fields', () => {
  const context = createForceContext(true);
  context.note([{ path: 'spec.archived', owners: [anOwner('flux', {})] }]);
  const asked = { name: 'old"flag', project: undefined, environments: ['production'] };
  const notes = createAnswerNotes();
  notes.noteAsked([
    { ...asked, applications: ['shop', 'größe'] },
    { ...asked, applications: undefined },
  ]);
  expect(warningOf(context, notes)).toBe(
    '299 vexil "took 1 field from flux, which may revert it or fail with a conflict: spec.archived; SDKs asked for it in production in the last 24 hours: old%22flag, old%22flag, by shop, gr%C3%B6%C3%9Fe"',
  );
});

test('without known applications it says so', () => {
  const notes = createAnswerNotes();
  notes.noteAsked([{ name: 'a', project: undefined, environments: ['production'], applications: undefined }]);
  expect(warningOf(createForceContext(false), notes)).toContain(
    ': a, by applications that are not known at the moment"',
  );
});

test.each<[string, number, number]>([
  ['many fields', 2000, 20],
  ['long ones', 3, 5000],
])('%s fit, and the number is named', (_, count, length) => {
  const fields = Array.from({ length: count }, (__, index) => {
    return [`spec.${index}${'ü'.repeat(length)}`, `m${index}${'x'.repeat(length)}`] as const;
  });
  const warning = warningAfter(...fields) ?? '';
  expect(warning.length).toBeLessThanOrEqual(MAX_WARNING_LENGTH);
  expect(warning).toContain(`took ${count} fields`);
  expect(warning).toMatch(/\d (more|with long names)"$/);
});
