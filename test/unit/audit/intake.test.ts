/** The bounded room between a watch and whoever records it. */
import { expect, test } from 'vitest';
import { createIntake } from '../../../src/audit/intake.ts';
import { createWaitingRoom } from '../../../src/audit/waiting-room.ts';

const anObject = (name: string, description = '') => ({
  metadata: { namespace: 'shop', name, uid: `uid-of-${name}`, resourceVersion: '7', generation: 1 },
  spec: { description },
});

function open(mostWaiting?: number) {
  const end = new AbortController();
  let at = 1000;
  const now = () => at++;
  const room = createWaitingRoom(end.signal, mostWaiting);
  return { end, room, intake: createIntake({ now, signal: end.signal, room }) };
}

/** Whether a promise is done once everything that can happen by itself has happened. */
async function isDone(promise: Promise<unknown> | undefined): Promise<boolean> {
  let done = false;
  void promise?.then(() => {
    done = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

test('frames come out in the order in which they were told, with the time of each', async () => {
  const { intake } = open();
  intake.sink.begin(false);
  intake.sink.listed(anObject('a'));
  intake.sink.swap('7');
  intake.sink.applied(anObject('b'));
  intake.sink.deleted(anObject('b'));
  intake.sink.progressed('9');
  const frames = await intake.next(10);
  expect(frames.map(({ tells, at }) => [tells, at])).toEqual([
    ['begin', 1000],
    ['listed', 1001],
    ['swap', 1002],
    ['applied', 1003],
    ['deleted', 1004],
    ['progressed', 1005],
  ]);
  expect(frames[1]).toMatchObject({ uid: 'uid-of-a', key: 'shop/a', version: '7' });
});

test('what was taken stays until it is dropped, so that it can be taken again', async () => {
  const { intake } = open();
  for (const name of ['a', 'b', 'c']) intake.sink.applied(anObject(name));
  const keys = async (most: number) => (await intake.next(most)).map((frame) => 'key' in frame && frame.key);
  expect(await keys(2)).toEqual(['shop/a', 'shop/b']);
  expect(await keys(2)).toEqual(['shop/a', 'shop/b']);
  intake.drop(2);
  expect([intake.length, intake.oldest, await keys(2)]).toEqual([1, 1002, ['shop/c']]);
});

test('whoever asks before there is something waits for it', async () => {
  const { intake } = open();
  const next = intake.next(10);
  expect(await isDone(next)).toBe(false);
  intake.sink.progressed('9');
  expect(await next).toHaveLength(1);
});

test('beyond its bound the reader is held back, until half of it is recorded', async () => {
  const { intake } = open(4000);
  const pace = () => intake.sink.pace?.();
  for (const name of ['a', 'b', 'c']) intake.sink.applied(anObject(name, 'x'.repeat(1000)));
  expect(pace()).toBeUndefined();
  intake.sink.applied(anObject('d', 'x'.repeat(1000)));
  const held = pace();
  expect(await isDone(held)).toBe(false);
  intake.drop(1);
  expect(await isDone(held)).toBe(false);
  intake.drop(2);
  expect([await isDone(held), pace()]).toEqual([true, undefined]);
});

test('the end wakes both sides, and nothing comes out any more', async () => {
  const { intake, end } = open(10);
  intake.sink.applied(anObject('a'));
  const held = intake.sink.pace?.();
  const { intake: empty, end: other } = open();
  const next = empty.next(10);
  end.abort();
  other.abort();
  expect([await isDone(held), intake.sink.pace?.(), await intake.next(10), await next]).toEqual([
    true,
    undefined,
    [],
    [],
  ]);
});

test('a snapshot has no annotations of others, and of field owners only who wrote the spec', async () => {
  const { intake } = open();
  const { metadata, spec } = anObject('a');
  const annotations = { 'vexil.dev/changed-by': 'ada', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const fieldsV1 = { 'f:spec': { 'f:description': {} }, 'f:metadata': {} };
  const managedFields = [
    { manager: 'kubectl', operation: 'Update', time: '2026-01-02T03:04:05Z', fieldsV1 },
    { manager: 'vexil', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': {} } },
  ];
  intake.sink.applied({
    metadata: { ...metadata, annotations, managedFields },
    spec,
    status: { enabledIn: 'production' },
  });
  const [frame] = await intake.next(1);
  expect(frame && 'snapshot' in frame && JSON.parse(frame.snapshot)).toEqual({
    metadata: {
      ...metadata,
      annotations: { 'vexil.dev/changed-by': 'ada' },
      managedFields: [{ ...managedFields[0], fieldsV1: { 'f:spec': {} } }],
    },
    spec,
    status: { enabledIn: 'production' },
  });
});

test('all intakes share the room: what fills it for one holds the others back, too', async () => {
  const { intake, room, end } = open(2000);
  const other = createIntake({ now: () => 0, signal: end.signal, room });
  intake.sink.applied(anObject('a', 'x'.repeat(2500)));
  const held = other.sink.pace?.();
  expect(await isDone(held)).toBe(false);
  intake.drop(1);
  expect(await isDone(held)).toBe(true);
});
