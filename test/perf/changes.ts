/** Users and pipelines that keep changing flags, as kubectl does, during another measurement. */
import { descriptionOf, FLAGS, flagName, pathOf, SHOP } from './contents.ts';
import type { KeptClient } from './kept-client.ts';

export interface Changed<T> {
  readonly result: T;
  /** The last written description. */
  readonly last: string;
  /** The number of changes per second. */
  readonly perSecond: number;
}

let count = 0;

/** Does the work while flags change, one with every beat. */
export async function whileChanging<T>(
  admin: KeptClient,
  perSecond: number,
  work: () => Promise<T>,
): Promise<Changed<T>> {
  const startedAt = performance.now();
  const before = count;
  const underWay: Promise<unknown>[] = [];
  const beat = setInterval(() => {
    count += 1;
    underWay.push(changeDescription(admin, count).written);
  }, 1000 / perSecond);
  try {
    const result = await work();
    clearInterval(beat);
    await Promise.all(underWay);
    const seconds = (performance.now() - startedAt) / 1000;
    return { result, last: descriptionOf(count), perSecond: (count - before) / seconds };
  } finally {
    clearInterval(beat);
  }
}

/**
 * Gives the flag of that number, counted around, the description of that number. A caller that waits for `written` gets
 * the error.
 */
export function changeDescription(admin: KeptClient, change: number) {
  const description = descriptionOf(change);
  const written = admin.call({
    method: 'PATCH',
    path: `${pathOf('featureflags', SHOP, flagName(change % FLAGS))}?fieldManager=kubectl-patch`,
    contentType: 'application/merge-patch+json',
    body: { spec: { description } },
  });
  // A failure must not end the process before a caller waits for it.
  written.catch(() => undefined);
  return { description, written };
}
