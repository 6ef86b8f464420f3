/** One operation on many flags: which writes are tried first, and the answer after a partial failure. */
import { describe, expect, test } from 'vitest';
import { type BulkOperation, runBulk } from '../../../src/actions/bulk.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { ClusterError, Refusal } from '../../../src/errors.ts';
import { detailMessage } from '../../../src/model/invalid-input.ts';
import type { FeatureFlag } from '../../../src/schema/feature-flag.ts';
import { flagObject } from '../domain/objects.ts';

const theFlags = (...names: string[]): FeatureFlag[] => names.map((name) => flagObject(`home/${name}`));

interface Course {
  readonly simulated: string[];
  readonly done: string[];
}

/** An operation that refuses flags by their name. */
function bulkOperation(
  course: Course,
  refusals: { dryRun?: Record<string, unknown>; real?: Record<string, unknown> },
): BulkOperation {
  return {
    done: 'switched on',
    async act(flag, { dryRun }) {
      const name = wireNameOf(flag);
      const refused = (dryRun ? refusals.dryRun : refusals.real)?.[name];
      if (refused !== undefined) throw refused;
      course[dryRun ? 'simulated' : 'done'].push(name);
    },
  };
}

const aCourse = (): Course => ({ simulated: [], done: [] });
const conflict = new ClusterError('conflict', 'Others kept writing.');
const away = new ClusterError('unavailable', 'The cluster is away.', { retryAfterSeconds: 7 });

test('several are tried before the first write; a single one is written at once; a dry run ends after the trial', async () => {
  const [several, one, dry] = [aCourse(), aCourse(), aCourse()];
  await runBulk(theFlags('a', 'b'), bulkOperation(several, {}), false);
  expect(several).toEqual({ simulated: ['a', 'b'], done: ['a', 'b'] });
  await runBulk(theFlags('a'), bulkOperation(one, {}), false);
  expect(one).toEqual({ simulated: [], done: ['a'] });
  await runBulk(theFlags('a', 'b'), bulkOperation(dry, {}), true);
  expect(dry).toEqual({ simulated: ['a', 'b'], done: [] });
  await runBulk([], bulkOperation(aCourse(), {}), false);
});

describe('a refusal of a trial', () => {
  test('of one flag is reported unchanged, and nothing is written', async () => {
    const course = aCourse();
    const attempt = runBulk(theFlags('a', 'b'), bulkOperation(course, { dryRun: { b: conflict } }), false);
    await expect(attempt).rejects.toBe(conflict);
    expect(course.done).toEqual([]);
  });

  test('of several flags is reported together, and nothing is written', async () => {
    const course = aCourse();
    const dryRun = { a: new Refusal('cannot-enable', 'Not a.'), c: new Refusal('cannot-enable', 'Not c.') };
    const attempt = runBulk(theFlags('a', 'b', 'c'), bulkOperation(course, { dryRun }), false);
    await expect(attempt).rejects.toMatchObject({
      code: 'cannot-enable',
      message: 'Not a. Not c. Nothing was written.',
      details: [{ message: 'Not a.' }, { message: 'Not c.' }],
    });
    expect(course.done).toEqual([]);
  });

  test('of very many flags is reported with their number', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const dryRun = Object.fromEntries(names.map((name) => [name, new Refusal('cannot-enable', `Not ${name}.`)]));
    const attempt = runBulk(theFlags(...names), bulkOperation(aCourse(), { dryRun }), false);
    await expect(attempt).rejects.toThrow('Not f19. And 10 more. Nothing was written.');
  });
});

describe('a partial failure', () => {
  test('reports for each flag whether it was written, and the reason if not', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
    const course = aCourse();
    const attempt = runBulk(theFlags(...names), bulkOperation(course, { real: { f2: away } }), false);
    const error = await attempt.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 7 });
    const { message, details } = error as ClusterError;
    expect(message).toBe(
      `Only ${course.done.length} of 12 flags are switched on, then: The cluster is away. The details list each flag. Send the request again with the others.`,
    );
    expect(details).toHaveLength(12);
    const recorded = new Map(names.map((name, index) => [name, details.map(detailMessage)[index]]));
    expect(recorded.get('f2')).toBe('"f2" is not switched on: The cluster is away.');
    for (const name of names) {
      const want = course.done.includes(name)
        ? 'switched on.'
        : name === 'f2'
          ? 'not switched on: '
          : 'unchanged: not tried.';
      expect(recorded.get(name)).toContain(`"${name}" is ${want}`);
    }
    expect(course.done).not.toContain('f11');
  });

  test('does not include an internal error in the answer', async () => {
    const mistake = new TypeError('secret');
    const attempt = runBulk(theFlags('a', 'b'), bulkOperation(aCourse(), { real: { a: mistake } }), false);
    await expect(attempt).rejects.toBe(mistake);
  });
});

test('an API server that does not answer is not asked about the other flags', async () => {
  let asked = 0;
  const operation: BulkOperation = {
    done: 'switched on',
    async act() {
      asked += 1;
      throw away;
    },
  };
  const names = Array.from({ length: 100 }, (_, index) => `flag-${index}`);
  await expect(runBulk(theFlags(...names), operation, false)).rejects.toMatchObject({ code: 'unavailable' });
  // As many as are asked about at a time.
  expect(asked).toBe(8);
});
