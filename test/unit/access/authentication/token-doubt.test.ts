/** How long a replica treats an unknown token as possibly valid. */
import { expect, test } from 'vitest';
import {
  DOUBT_MS,
  MIN_PAUSE_MS,
  PAUSE_MS_PER_SECRET,
  tokenDoubt,
} from '../../../../src/access/authentication/token-doubt.ts';
import { digestOf } from '../../../../src/domain/tokens/token-value.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { parseObject } from '../../../../src/kube/object/parse-object.ts';
import type { Ref } from '../../../../src/model/object.ts';
import { apiToken, TOKEN_LABEL } from '../../../../src/schema/api-token.ts';
import { aToken } from '../../../support/builders.ts';
import { stored } from '../../domain/objects.ts';

const SHA256 = 'a'.repeat(64);
const VALUE = 'a-value-of-its-own';
const own = { secretRef: { name: 's' } };

interface World {
  readonly specs?: readonly object[];
  readonly status?: object;
}

function doubtIn({ specs = [own], status }: World) {
  const tokens = specs.map((spec, index) =>
    parseObject(apiToken, stored(aToken(`home/t${index}`, spec), { ...(status && { status }) })),
  );
  const world = {
    now: Date.parse('2026-06-01T00:00:00Z'),
    /** The value in the Secret of each token; an error if the Secret cannot be read. */
    secret: undefined as string | ClusterError | undefined,
    reads: 0,
  };
  const readSecret = async (_ref: Ref) => {
    world.reads += 1;
    if (world.secret instanceof ClusterError) throw world.secret;
    return world.secret === undefined
      ? undefined
      : { labels: { [TOKEN_LABEL]: 't0' }, owners: [], value: world.secret };
  };
  const { mayBeKnownSoon } = tokenDoubt({ tokens: () => tokens, readSecret, now: () => world.now });
  return { world, mayBeKnown: (value: string) => mayBeKnownSoon(digestOf(value)) };
}

test.each<[string, World]>([
  ['every token has a value that never changes', { specs: [{}], status: { sha256: SHA256 } }],
  ['only an admin token takes its value from a Secret', { specs: [{ type: 'admin', ...own }] }],
  ['the token has expired', { specs: [{ expiresAt: '2026-05-01T00:00:00Z' }] }],
])('no Secret is read if %s', async (_, specs) => {
  const { world, mayBeKnown } = doubtIn(specs);
  expect(await mayBeKnown('b')).toBe(false);
  expect(world.reads).toBe(0);
});

test('a Secret that is missing makes no value doubtful', async () => {
  const { mayBeKnown } = doubtIn({});
  expect(await mayBeKnown('b')).toBe(false);
});

test('the value in a Secret is in doubt, and others are not', async () => {
  const { world, mayBeKnown } = doubtIn({ status: { sha256: SHA256 } });
  world.secret = VALUE;
  expect(await mayBeKnown(VALUE)).toBe(true);
  world.now += MIN_PAUSE_MS;
  expect(await mayBeKnown('wrong')).toBe(false);
  expect(await mayBeKnown(VALUE)).toBe(true);
});

test('the doubt about a value that never becomes known ends, and begins again when the Secret changes', async () => {
  const { world, mayBeKnown } = doubtIn({});
  world.secret = VALUE;
  const after = async (ms: number) => {
    world.now += ms;
    return mayBeKnown(VALUE);
  };
  expect([await after(0), await after(DOUBT_MS - 1), await after(1)]).toEqual([true, true, false]);
  world.secret = undefined;
  expect(await after(MIN_PAUSE_MS)).toBe(false);
  world.secret = VALUE;
  expect(await after(MIN_PAUSE_MS)).toBe(true);
});

test('a value that is first sent after the last read began waits for the next one', async () => {
  const { world, mayBeKnown } = doubtIn({});
  expect(await mayBeKnown('first')).toBe(false);
  world.secret = VALUE;
  expect(await mayBeKnown(VALUE)).toBe(true);
  expect(world.reads).toBe(1);
  world.now += MIN_PAUSE_MS;
  expect(await mayBeKnown(VALUE)).toBe(true);
  expect(await mayBeKnown('first')).toBe(false);
});

test('many unknown values cause a bounded number of calls', async () => {
  const specs = Array.from({ length: 50 }, () => own);
  const { world, mayBeKnown } = doubtIn({ specs });
  await Promise.all(Array.from({ length: 1000 }, (_, number) => mayBeKnown(`${number}`)));
  world.now += 50 * PAUSE_MS_PER_SECRET - 1;
  await mayBeKnown('another');
  expect(world.reads).toBe(50);
  world.now += 1;
  expect(await mayBeKnown('another')).toBe(false);
  expect(world.reads).toBe(100);
});

test('while a Secret cannot be read every value is in doubt, for a while', async () => {
  const { world, mayBeKnown } = doubtIn({});
  world.secret = new ClusterError('unavailable', 'away');
  expect(await mayBeKnown('b')).toBe(true);
  world.now += DOUBT_MS;
  expect(await mayBeKnown('b')).toBe(false);
});

test('a Secret that the operator may not read makes no value doubtful', async () => {
  const { world, mayBeKnown } = doubtIn({});
  world.secret = new ClusterError('missing-permission', 'no');
  expect(await mayBeKnown('b')).toBe(false);
});
