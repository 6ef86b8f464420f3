/** Guesses of tokens count as failures, also while nobody can say whether they are tokens of Kubernetes. */
import { expect, test } from 'vitest';
import { type Recognise, requireToken } from '../../../../src/access/authentication/authenticate.ts';
import { kubernetesUsers } from '../../../../src/access/authentication/kubernetes-tokens.ts';
import { ClusterError, Refusal } from '../../../../src/errors.ts';
import type { Reviews } from '../../../../src/kube/api/reviews.ts';

const FROM = '192.0.2.1';
const CACHE_MS = 1;

/** `identify` answers for the API server. */
function callersBy(identify: Reviews['identify'], last: Recognise = async () => undefined) {
  const failures: (string | undefined)[] = [];
  const reviews = { mayAsk: async () => true, allows: async () => true, identify };
  const users = kubernetesUsers(reviews, CACHE_MS);
  const authenticate = requireToken({
    recognisers: [users.recognise, last],
    callerOf: users.callerOf,
    countFailure: (from) => void failures.push(from),
  });
  const codeOf = (authorization: string) =>
    authenticate({ authorization, from: FROM }).then(
      () => 'admitted',
      ({ code }: Refusal | ClusterError) => code,
    );
  return { failures, codeOf };
}

test('while the API server cannot review them', async () => {
  const { failures, codeOf } = callersBy(async () => {
    throw new ClusterError('unavailable', 'away', { retryAfterSeconds: 7 });
  });
  expect(await codeOf('first-guess')).toBe('doubtful-token');
  expect(await codeOf('second-guess')).toBe('doubtful-token');
  expect(failures).toEqual([FROM, FROM]);
});

test('when too many wait to be reviewed', async () => {
  const pending = Promise.withResolvers<undefined>();
  const { failures, codeOf } = callersBy(() => pending.promise);
  const answers = Array.from({ length: 300 }, (_, index) => codeOf(`guess-${index}`));
  expect(await answers.at(-1)).toBe('doubtful-token');
  pending.resolve(undefined);
  const codes = Object.groupBy(await Promise.all(answers), (code) => code);
  expect([codes['unauthenticated']?.length, codes['doubtful-token']?.length]).toEqual([272, 28]);
  expect(failures).toHaveLength(300);
});

test('on a replica that is cut off', async () => {
  const { failures, codeOf } = callersBy(
    async () => undefined,
    async () => {
      throw new Refusal('doubtful-token', 'cut off');
    },
  );
  expect(await codeOf('a-guess')).toBe('doubtful-token');
  expect(failures).toEqual([FROM]);
});

test('a token that was valid within the last hour is no guess', async () => {
  let isAway = false;
  const { failures, codeOf } = callersBy(async () => {
    if (isAway) throw new ClusterError('unavailable', 'away');
    return { username: 'ada', uid: '1', groups: [], extra: {} };
  });
  expect(await codeOf('a-token')).toBe('admitted');
  isAway = true;
  await expect.poll(() => codeOf('a-token')).toBe('unavailable');
  expect(failures).toEqual([]);
});
