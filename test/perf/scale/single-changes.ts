/** Changes one flag after the other, as a person does, and takes the time until the status is about the change. */
import { pathOf } from '../contents.ts';
import type { KeptClient } from '../kept-client.ts';
import { placeOf } from './flags.ts';
import type { JudgedFlags } from './judged-flags.ts';
import { type Latency, latencyOf } from './latency.ts';

interface Parts {
  readonly admin: KeptClient;
  readonly judged: JudgedFlags;
  /** How many flags there are. */
  readonly count: number;
}

/** Prime, so that the changed flags lie far apart and none comes again soon. */
const STEP = 7919;

/** Changes, one at a time, from the first judged flag until the work ends. */
export async function whileChanging({ admin, judged, count }: Parts, work: () => Promise<void>): Promise<Latency> {
  const took: number[] = [];
  let isOver = false;
  const changes = async () => {
    // What changes before a replica leads is part of all that it begins with.
    await judged.whenAnyReady();
    // The last flags of the list are the last that a queue without priorities would come to.
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
