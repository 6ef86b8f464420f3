/** Linking: soon after changes, in batches, and on after failures. */
import { expect, test } from 'vitest';
import type { Linked } from '../../../../src/audit/archive/archive.ts';
import { createLinker } from '../../../../src/audit/record/linker.ts';
import type { HistoryNotice } from '../../../../src/audit/record/notice.ts';
import { Refusal } from '../../../../src/errors.ts';
import { fakeClock } from '../../../support/fake-clock.ts';

function start(answers: (Linked | Error)[]) {
  const clock = fakeClock();
  const end = new AbortController();
  const notices: HistoryNotice[] = [];
  let calls = 0;
  const archive = {
    async link() {
      calls += 1;
      const answer = answers.shift() ?? { links: 0, isMore: false };
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const linker = createLinker({ archive, clock, onNotice: (notice) => notices.push(notice) });
  const running = linker.run(end.signal);
  return { clock, end, notices, linker, running, calls: () => calls };
}

test('changes are linked a second later, all together', async () => {
  const { clock, end, linker, running, calls } = start([]);
  await clock.advance(0);
  linker.wake();
  linker.wake();
  await clock.advance(999);
  expect(calls()).toBe(1);
  await clock.advance(1);
  expect(calls()).toBe(2);
  end.abort();
  await running;
});

test('long work is done in batches and reported', async () => {
  const batch = { links: 5_000, isMore: true };
  const { clock, end, notices, running, calls } = start([batch, batch, batch, { links: 1, isMore: false }]);
  for (let round = 0; round < 4; round += 1) await clock.advance(20);
  expect(calls()).toBe(4);
  expect(notices).toEqual([{ type: 'linked', links: 10_000 }]);
  end.abort();
  await running;
});

test('a failure is reported once, another replica is none, and both are tried again', async () => {
  const down = () => new Refusal('unavailable', 'down');
  const { clock, end, notices, running, calls } = start([new Refusal('conflict', 'moved'), down(), down()]);
  for (let round = 0; round < 4; round += 1) {
    await clock.advance(0);
    await clock.advance(30_000);
    await clock.advance(1_000);
  }
  expect(calls()).toBeGreaterThanOrEqual(4);
  expect(notices).toMatchObject([{ type: 'linking-failed' }]);
  end.abort();
  await running;
});
