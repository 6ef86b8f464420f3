/** The priority with which objects are queued, each once. */
import { expect, test } from 'vitest';
import { type Enqueue, enqueueTo, MAX_HIGH_PRIORITY } from '../../../src/kinds/enqueue.ts';
import { aWorld } from '../catalog/world.ts';

function prioritiesOf(count: number, when: keyof Enqueue): ReadonlySet<string | undefined> {
  const world = aWorld();
  for (let n = 0; n < count; n += 1) world.flag(`home/flag-${n}`);
  const priorities: (string | undefined)[] = [];
  const queue = {
    add: (_: string, { priority }: { priority?: string }) => void priorities.push(priority),
    addAfter: (_: string, __: number, { priority }: { priority?: string }) => void priorities.push(priority),
  };
  const flags = [...world.caches.flags.all()];
  enqueueTo(queue, 1, () => 'test')[when]([...flags, ...flags]);
  expect(priorities).toHaveLength(count);
  return new Set(priorities);
}

test.each(['now', 'later'] as const)(
  'objects that are due %s, however often each is named: few have the high priority, many the low one',
  (when) => {
    expect(prioritiesOf(MAX_HIGH_PRIORITY, when)).toEqual(new Set(['high']));
    expect(prioritiesOf(MAX_HIGH_PRIORITY + 1, when)).toEqual(new Set(['low']));
  },
);
