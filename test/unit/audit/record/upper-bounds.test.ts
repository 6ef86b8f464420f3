/** Upper bounds for the times of watch frames, from later frames. */
import { expect, test } from 'vitest';
import { upperBoundsOf } from '../../../../src/audit/record/batcher.ts';
import type { Frame } from '../../../../src/audit/record/watch-buffer.ts';

const at = (seconds: number) => Date.parse('2026-03-01T12:00:00Z') + seconds * 1000;

test('the next later time bounds earlier frames; a stamp from the future does not', () => {
  const frame = (reports: 'applied' | 'deleted', seconds: number): Frame => {
    const content = {
      uid: 'u',
      key: 'home/f',
      version: '1',
      fingerprint: '[1]',
      snapshot: '{}',
      notAfter: Number.POSITIVE_INFINITY,
    };
    return { at: at(60), isLate: true, reports, writtenAt: at(seconds), ...content };
  };
  const frames = [
    frame('applied', 10),
    frame('deleted', 3),
    frame('applied', 4),
    frame('applied', 20),
    frame('applied', 9_999),
  ];
  const bounds = upperBoundsOf(frames, at(5));
  expect(bounds).toEqual([at(20) + 999, at(20) + 999, at(20) + 999, at(60) + 999, Number.POSITIVE_INFINITY]);
});
