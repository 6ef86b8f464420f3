/** One thing done to many flags: what is tried first, and what a call tells that was only half done. */
import { describe, expect, test } from 'vitest';
import { wireNameOf } from '../../../src/domain/names.ts';
import { AppError } from '../../../src/errors.ts';
import { type Deed, doToFlags } from '../../../src/http/do-to-flags.ts';
import type { FeatureFlag } from '../../../src/schema/feature-flag.ts';
import { flagObject } from '../domain/objects.ts';

const theFlags = (...names: string[]): FeatureFlag[] => names.map((name) => flagObject(`home/${name}`));

interface Course {
  readonly rehearsed: string[];
  readonly done: string[];
}

/** Refuses as it is told to, by the name of the flag. */
function deed(course: Course, refusals: { rehearsal?: Record<string, unknown>; real?: Record<string, unknown> }): Deed {
  return {
    done: 'switched on',
    async act(flag, { dryRun }) {
      const name = wireNameOf(flag);
      const refused = (dryRun ? refusals.rehearsal : refusals.real)?.[name];
      if (refused !== undefined) throw refused;
      course[dryRun ? 'rehearsed' : 'done'].push(name);
    },
  };
}

const aCourse = (): Course => ({ rehearsed: [], done: [] });
const conflict = new AppError('conflict', 'Others kept writing.');
const away = new AppError('unavailable', 'The cluster is away.', { retryAfterSeconds: 7 });

test('several are tried before the first is done; one alone is done at once; a dry run ends with the trial', async () => {
  const [several, one, dry] = [aCourse(), aCourse(), aCourse()];
  await doToFlags(theFlags('a', 'b'), deed(several, {}), false);
  expect(several).toEqual({ rehearsed: ['a', 'b'], done: ['a', 'b'] });
  await doToFlags(theFlags('a'), deed(one, {}), false);
  expect(one).toEqual({ rehearsed: [], done: ['a'] });
  await doToFlags(theFlags('a', 'b'), deed(dry, {}), true);
  expect(dry).toEqual({ rehearsed: ['a', 'b'], done: [] });
  await doToFlags([], deed(aCourse(), {}), false);
});

describe('what a trial refuses', () => {
  test('of one flag is told as it is, and nothing is done', async () => {
    const course = aCourse();
    const attempt = doToFlags(theFlags('a', 'b'), deed(course, { rehearsal: { b: conflict } }), false);
    await expect(attempt).rejects.toBe(conflict);
    expect(course.done).toEqual([]);
  });

  test('of several is told together, and nothing is done', async () => {
    const course = aCourse();
    const rehearsal = { a: new AppError('cannot-enable', 'Not a.'), c: new AppError('cannot-enable', 'Not c.') };
    const attempt = doToFlags(theFlags('a', 'b', 'c'), deed(course, { rehearsal }), false);
    await expect(attempt).rejects.toMatchObject({
      code: 'cannot-enable',
      message: 'Not a. Not c. Nothing was written.',
      details: [{ message: 'Not a.' }, { message: 'Not c.' }],
    });
    expect(course.done).toEqual([]);
  });

  test('of very many is counted', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const rehearsal = Object.fromEntries(names.map((name) => [name, new AppError('cannot-enable', `Not ${name}.`)]));
    const attempt = doToFlags(theFlags(...names), deed(aCourse(), { rehearsal }), false);
    await expect(attempt).rejects.toThrow('Not f19. And 10 more. Nothing was written.');
  });
});

describe('a call that is half done', () => {
  test('tells of each flag whether it is done, and what kept it', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
    const course = aCourse();
    const attempt = doToFlags(theFlags(...names), deed(course, { real: { f2: away } }), false);
    const error = await attempt.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 7 });
    const { message, details } = error as AppError;
    expect(message).toBe(
      `Only ${course.done.length} of 12 flags are switched on, then: The cluster is away. The details tell of each. Send the request again with the others.`,
    );
    expect(details).toHaveLength(12);
    const told = new Map(names.map((name, index) => [name, details[index]?.message]));
    expect(told.get('f2')).toBe('"f2" is not: The cluster is away.');
    for (const name of names) {
      const want = course.done.includes(name) ? 'switched on.' : name === 'f2' ? 'not: ' : 'as it was: not tried.';
      expect(told.get(name)).toContain(`"${name}" is ${want}`);
    }
    expect(course.done).not.toContain('f11');
  });

  test('nobody is told of a mistake of our own', async () => {
    const mistake = new TypeError('secret');
    const attempt = doToFlags(theFlags('a', 'b'), deed(aCourse(), { real: { a: mistake } }), false);
    await expect(attempt).rejects.toBe(mistake);
  });
});
