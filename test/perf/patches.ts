/** Writes one after the other, through us or straight to the API server, each on a flag of its own. */

import type { Sample } from './compare.ts';
import { descriptionOf, FLAGS, flagName, pathOf, SHOP } from './contents.ts';
import type { KeptClient } from './kept-client.ts';
import { percentile } from './statistics.ts';

/** Sends the write of that number; answers how many ms it took. */
export type Write = (number: number) => Promise<number>;

const PATCH = 'application/json-patch+json';

/** Counted apart from the changes of other rows. */
const FIRST = 50_000_000;

export function throughApi(api: KeptClient): Write {
  return async (number) => {
    const path = `/api/admin/projects/shop/features/${flagName(number % FLAGS)}`;
    const body = [{ op: 'replace', path: '/description', value: descriptionOf(FIRST + number) }];
    return (await api.call({ method: 'PATCH', path, body })).tookMs;
  };
}

/** The body is as long as the one that we get: what the path has more, the description has less. */
export function straight(asOperator: KeptClient): Write {
  return async (number) => {
    const path = `${pathOf('featureflags', SHOP, flagName(number % FLAGS))}?fieldManager=bench`;
    const value = descriptionOf(FIRST + number).slice('/spec'.length);
    const body = [{ op: 'replace', path: '/spec/description', value }];
    return (await asOperator.call({ method: 'PATCH', path, contentType: PATCH, body })).tookMs;
  };
}

/** Writes in turn through every way, `times` each; answers what it measured of each way. */
export async function inTurn(ways: readonly Write[], times: number, from: number): Promise<Sample[]> {
  const took = ways.map(() => [] as number[]);
  for (let time = 0; time < times; time += 1) {
    for (const [index, write] of ways.entries()) {
      // Half of the flags lie between two ways, so that none meets the other's version of a flag that is being judged.
      const number = from + time + index * (FLAGS / ways.length);
      took[index]?.push(await write(number));
    }
  }
  return took.map((latencies) => ({
    perSecond: (1000 * latencies.length) / latencies.reduce((sum, one) => sum + one, 0),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }));
}
