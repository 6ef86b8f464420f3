/** Texts that tenants and servers choose take time in proportion to their length. */
import { expect, test } from 'vitest';
import { withoutMarkdown } from '../../../cli/flags/without-markdown.ts';
import { keysOfPath } from '../../../cli/manifests/field-path.ts';
import { printable } from '../../../cli/terminal.ts';
import { fold } from '../../../src/audit/archive/fold.ts';
import { refusedCall } from '../../../src/kube/api/errors.ts';
import { folded, normalized } from '../../../src/model/text.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const half = (length: number, one: string, other: string) => one.repeat(length / 2) + other.repeat(length / 2);
const texts: readonly (readonly [string, (text: string) => unknown, (length: number) => string])[] = [
  ['search in the history, marks in turn', fold, (length) => `a${'\u0301\u0323'.repeat(length / 2)}`],
  ['search in the history, marks in two runs', fold, (length) => `a${half(length, '\u0301', '\u0323')}`],
  ['search of flags, marks', folded, (length) => half(length, '\u0301', '\u0323')],
  ['search of flags, half width', folded, (length) => '\uff9e\u0301'.repeat(length / 2)],
  ['a path', keysOfPath, (length) => '['.repeat(length)],
  ['a path in an answer of the API server', refusedAt, (length) => '['.repeat(length)],
  ['a summary', withoutMarkdown, (length) => '['.repeat(length)],
  ['a text for a terminal', printable, (length) => '\n'.repeat(length)],
];

function refusedAt(field: string): unknown {
  const body = { message: 'no', details: { causes: [{ reason: 'FieldValueInvalid', field, message: 'no' }] } };
  return refusedCall({ action: 'PATCH /x', status: 422, body }).details;
}

test.each(texts)('%s', (_, read, make) => {
  const takes = (length: number) => {
    const text = make(length);
    return cpuMsOf(() => read(text));
  };
  // 16 times as long; with a square, it takes 256 times as long.
  expect(takes(64_000)).toBeLessThan(80 * Math.max(takes(4_000), 1));
});

test('runs of up to 30 marks are normalized as usual', () => {
  const some = ['é', 'e\u0301', 'ạ\u0301', `a${'\u0301\u0323'.repeat(15)}`, 'ﾊﾟ', '각', 'नि', 'straße'];
  for (const form of ['NFC', 'NFKD'] as const)
    expect(some.map((text) => normalized(text, form))).toEqual(some.map((text) => text.normalize(form)));
});

test('texts with many marks are found as what they are', () => {
  const text = `before ${'z\u0301\u0323'}${'\u0301'.repeat(100)} after É`;
  for (const wanted of ['before', 'after é', 'z\u0323\u0301']) expect(fold(text)).toContain(fold(wanted));
});
