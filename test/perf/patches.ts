/** Writes one after the other, through the admin API or directly at the API server, each on its own flag. */

import type { Sample } from './compare.ts';
import { descriptionOf, FLAGS, flagName, pathOf, SHOP } from './contents.ts';
import type { KeptCall, KeptClient } from './kept-client.ts';
import { percentile } from './statistics.ts';

/** Sends the write of that number. Returns how many ms it took. */
export type Write = (number: number) => Promise<number>;

/** A change of one flag, as the admin API offers it and as a patch with the same effect at the API server. */
export interface Change {
  readonly title: string;
  /** The call of the admin API. Its path is below that of the flag. */
  readonly asked: (turn: Turn) => KeptCall;
  /** The JSON Patch with the same effect. */
  readonly operations: (turn: Turn) => readonly object[];
}

interface Turn {
  /** The number of the write, from 0. */
  readonly number: number;
  /** How often the flag was written before. */
  readonly round: number;
}

const PATCH = 'application/json-patch+json';

/** The first number of these changes, so that other rows use other numbers. */
const FIRST = 50_000_000;

/** Each side has half of the flags to itself, so that no write meets a status write that the other side caused. */
const HALF = FLAGS / 2;

/** An environment in which every flag is on at first, with two strategies. */
const PLACE = 'development';
const HERE = `/spec/environments/${PLACE}`;

/**
 * The description for a write through the admin API, and the one for a patch at the API server. The path of the patch
 * is longer, so its description is shorter and the bodies have the same length.
 */
export const descriptionThroughApi = (number: number) => descriptionOf(FIRST + number);
export const descriptionStraight = (number: number) => descriptionThroughApi(number).slice('/spec'.length);

const described: Change = {
  title: 'PATCH the description of a flag',
  asked: ({ number }) => {
    const body = [{ op: 'replace', path: '/description', value: descriptionThroughApi(number) }];
    return { method: 'PATCH', path: '', body };
  },
  operations: ({ number }) => [{ op: 'replace', path: '/spec/description', value: descriptionStraight(number) }],
};

const added = { name: 'flexibleRollout', parameters: { rollout: 25, groupId: 'checkout', stickiness: 'default' } };

const strategyAdded: Change = {
  title: 'POST a strategy',
  asked: () => ({ method: 'POST', path: `/environments/${PLACE}/strategies`, body: added }),
  operations: ({ round }) => {
    const value = { ...added, sortOrder: round + 2 };
    return [{ op: 'add', path: `${HERE}/strategies/${crypto.randomUUID()}`, value }];
  },
};

const switched: Change = {
  title: 'POST off, and the next time on',
  asked: ({ round }) => ({ method: 'POST', path: `/environments/${PLACE}/${round % 2 === 0 ? 'off' : 'on'}` }),
  operations: ({ round }) => [{ op: 'replace', path: `${HERE}/enabled`, value: round % 2 === 1 }],
};

const variantsOf = ({ round }: Turn) => [
  { name: 'blue', weightType: 'fix', weight: 100 + round, payload: { type: 'string', value: 'blue' } },
  { name: 'red', weightType: 'variable' },
  { name: 'green', weightType: 'variable' },
];

const variantsReplaced: Change = {
  title: 'PUT three variants',
  asked: (turn) => ({ method: 'PUT', path: '/variants', body: variantsOf(turn) }),
  operations: (turn) => [{ op: 'add', path: '/spec/variants', value: variantsOf(turn) }],
};

export const changes = { described, strategyAdded, switched, variantsReplaced };

export function throughApi(api: KeptClient, { asked }: Change): Write {
  return async (number) => {
    const { path, ...call } = asked(turnOf(number));
    const flag = flagName(number % HALF);
    return (await api.call({ ...call, path: `/api/admin/projects/shop/features/${flag}${path}` })).tookMs;
  };
}

export function straight(asOperator: KeptClient, { operations }: Change): Write {
  return async (number) => {
    const path = `${pathOf('featureflags', SHOP, flagName(HALF + (number % HALF)))}?fieldManager=bench`;
    const body = operations(turnOf(number));
    return (await asOperator.call({ method: 'PATCH', path, contentType: PATCH, body })).tookMs;
  };
}

function turnOf(number: number): Turn {
  return { number, round: Math.floor(number / HALF) };
}

/** Writes in turn in every way, `times` each. Returns the samples of each way. */
export async function inTurn(ways: readonly Write[], times: number, from: number): Promise<Sample[]> {
  const took = ways.map(() => [] as number[]);
  for (let time = 0; time < times; time += 1) {
    for (const [index, write] of ways.entries()) took[index]?.push(await write(from + time));
  }
  return took.map((latencies) => ({
    perSecond: (1000 * latencies.length) / latencies.reduce((sum, one) => sum + one, 0),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }));
}
