/** Changes one flag after the other, as a user does, and measures the time until the status is about the change. */
import { pathOf } from '../contents.ts';
import type { KeptClient } from '../kept-client.ts';
import { placeOf } from './flags.ts';
import type { JudgedFlags } from './judged-flags.ts';
import { type Latency, latencyOf } from './latency.ts';

interface Parts {
  readonly admin: KeptClient;
  readonly judged: JudgedFlags;
  /** The number of flags. */
  readonly count: number;
}

/** A prime, so that the changed flags are far apart and none repeats soon. */
const STEP = 7919;

/** Changes flags, one at a time, from the first judged flag until the work ends. */
export async function whileChanging({ admin, judged, count }: Parts, work: () => Promise<void>): Promise<Latency> {
  const took: number[] = [];
  let isOver = false;
  const changes = async () => {
    // A change before a replica leads is part of its first work.
    await judged.whenAnyReady();
    // A queue without priorities would reach the last flags of the list last.
    for (let number = count - 1; !isOver; number = (number + STEP) % count) {
      const { namespace, name } = placeOf(number);
      const startedAt = performance.now();
      const { bytes } = await admin.call({
        method: 'PATCH',
        path: pathOf('featureflags', namespace, name),
        contentType: 'application/merge-patch+json',
        body: { spec: { description: `Changed for the ${took.length + 1}th time` } },
      });
      const { metadata }: { metadata: { generation: number } } = JSON.parse(bytes.toString());
      await judged.whenJudged({ namespace, name }, metadata.generation);
      took.push(performance.now() - startedAt);
    }
  };
  const over = work().finally(() => {
    isOver = true;
  });
  await Promise.all([over, changes()]);
  return latencyOf(took);
}
