/** Recording when something was seen never waits, never fails, and never does much at a time. */
import { expect, test } from 'vitest';
import { createSeenAt } from '../../../../src/kube/write/seen-at.ts';
import { createLogger } from '../../../../src/telemetry/logger.ts';
import { captureLog } from '../../../support/capture-log.ts';
import { settled } from '../../../support/fake-clock.ts';
import { CREATED, tokenObject } from '../../domain/objects.ts';

const NOW = Date.parse(CREATED);

function setUp() {
  const log: Readonly<Record<string, unknown>>[] = [];
  const written: string[] = [];
  const answers: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const time = { now: NOW };
  const end = new AbortController();
  const mark = createSeenAt({
    kind: {
      patchStatus: ({ metadata }: ReturnType<typeof tokenObject>, { seenAt }) => {
        written.push(`${metadata.name} ${seenAt}`);
        return new Promise<void>((resolve, reject) => answers.push({ resolve, reject }));
      },
    },
    now: () => time.now,
    logger: createLogger({ level: 'debug', destination: captureLog(log) }),
    signal: end.signal,
  });
  return { log, written, answers, time, end, mark };
}

const token = (name: string, seenAt?: string) => tokenObject(`home/${name}`, {}, { status: { seenAt } });

test('four writes at a time: others are dropped meanwhile, and written when the object is seen again', async () => {
  const { written, answers, mark } = setUp();
  for (const name of ['a', 'b', 'c', 'd', 'e']) mark(token(name));
  expect(written).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name} 2026-01-01T00:00:00Z`));
  answers[0]?.resolve();
  await settled();
  mark(token('e'));
  expect(written.at(-1)).toBe('e 2026-01-01T00:00:00Z');
});

test('a failed write is a line at debug, and is tried again a minute later, not before', async () => {
  const { log, written, answers, time, mark } = setUp();
  mark(token('a'));
  answers[0]?.reject(new Error('away'));
  await settled();
  expect(log).toMatchObject([{ level: 'debug', object: 'home/a' }]);
  time.now += 59_999;
  mark(token('a'));
  expect(written).toHaveLength(1);
  time.now += 1;
  mark(token('a'));
  expect(written).toHaveLength(2);
});

test('a time that another replica has written within the hour is not written again', () => {
  const { written, time, mark } = setUp();
  time.now = NOW + 3_599_999;
  mark(token('a', CREATED));
  expect(written).toEqual([]);
  time.now += 1;
  mark(token('a', CREATED));
  expect(written).toEqual(['a 2026-01-01T01:00:00Z']);
});

test('no write begins after the process ends', () => {
  const { written, end, mark } = setUp();
  end.abort();
  mark(token('a'));
  expect(written).toEqual([]);
});
