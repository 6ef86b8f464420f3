/** Users and pipelines that keep changing flags, as kubectl does, while something else is measured. */
import { descriptionOf, FLAGS, flagName, pathOf, SHOP } from './contents.ts';
import type { KeptClient } from './kept-client.ts';

export interface Changed<T> {
  readonly result: T;
  /** The last description that was written. */
  readonly last: string;
  /** How many were written in a second. */
  readonly perSecond: number;
}

let count = 0;

/** Does the work while another flag changes with every beat. */
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
    const patch = changeDescription(admin, count);
    // Thrown again where all are waited for; until then it must not end the process.
    patch.catch(() => undefined);
    underWay.push(patch);
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

function changeDescription(admin: KeptClient, change: number): Promise<unknown> {
  return admin.call({
    method: 'PATCH',
    path: `${pathOf('featureflags', SHOP, flagName(change % FLAGS))}?fieldManager=kubectl-patch`,
    contentType: 'application/merge-patch+json',
    body: { spec: { description: descriptionOf(change) } },
  });
}
