/** Deleting old entries: in small batches, every hour, for as long as it takes. */
import { expect, test } from 'vitest';
import type { HistoryNotice } from '../../../../src/audit/record/notice.ts';
import { keepRetention } from '../../../../src/audit/record/retention.ts';
import { Refusal } from '../../../../src/errors.ts';
import { fakeClock } from '../../../support/fake-clock.ts';

const HOUR_MS = 3_600_000;

function keep(retentionMs: number | undefined, old: number) {
  const clock = fakeClock();
  const asked: { readonly before: number; readonly limit: number }[] = [];
  const prunedVersions: typeof asked = [];
  const stated: number[] = [];
  const notices: HistoryNotice[] = [];
  const end = new AbortController();
  let left = old;
  let isDown = false;
  const running = keepRetention(
    {
      archive: {
        async prune(before, limit) {
          if (isDown) throw new Refusal('unavailable', 'down');
          asked.push({ before, limit });
          const deleted = Math.min(left, limit);
          left -= deleted;
          return deleted;
        },
        async linkRetention({ before }) {
          stated.push(before);
          return true;
        },
        async pruneVersions(before, limit) {
          prunedVersions.push({ before, limit });
          return 0;
        },
      },
      retentionMs,
      clock,
      now: () => 1_000_000 + clock.now(),
      onNotice: (notice) => notices.push(notice),
    },
    end.signal,
  );
  return {
    clock,
    asked,
    prunedVersions,
    stated,
    notices,
    end,
    running,
    left: () => left,
    fail: (down: boolean) => {
      isDown = down;
    },
  };
}

test('many old entries are deleted in small batches with pauses, and logged once', async () => {
  const { clock, asked, prunedVersions, notices, end, running, left } = keep(HOUR_MS, 1_200);
  await clock.advance(0);
  expect(left()).toBe(700);
  await clock.advance(99);
  expect(left()).toBe(700);
  await clock.advance(1);
  await clock.advance(100);
  expect([left(), asked.map(({ limit }) => limit)]).toEqual([0, [500, 500, 500]]);
  expect(asked[0]?.before).toBe(1_000_000 - HOUR_MS);
  expect(notices).toEqual([{ type: 'pruned', entries: 1_200, versions: 0 }]);
  expect(prunedVersions).toEqual([{ before: 1_000_000 - HOUR_MS, limit: 500 }]);
  end.abort();
  await running;
});

test('it checks again each hour, also after a failure', async () => {
  const { clock, asked, notices, end, running, fail } = keep(HOUR_MS, 0);
  await clock.advance(0);
  fail(true);
  await clock.advance(HOUR_MS);
  expect([asked.length, notices.map(({ type }) => type)]).toEqual([1, ['pruning-failed']]);
  fail(false);
  await clock.advance(HOUR_MS);
  expect(asked.map(({ before }) => before)).toEqual([1_000_000 - HOUR_MS, 1_000_000 + HOUR_MS]);
  end.abort();
  await running;
});

test('without retention no query is made', async () => {
  const { clock, asked, running } = keep(undefined, 10);
  await running;
  expect([asked, clock.pending]).toEqual([[], 0]);
});
