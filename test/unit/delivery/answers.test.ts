/** Answers about all flags: they share the event loop, and end at a bound. */

import { expect, test } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.ts';
import { createAnswers } from '../../../src/delivery/answers.ts';
import { createCatalogOrigin } from '../../../src/delivery/catalog-origin.ts';
import { createEvaluations } from '../../../src/delivery/evaluations.ts';
import { turnsOfRequest } from '../../../src/runtime/turns.ts';
import { readTagged } from '../../support/read-tagged.ts';
import { aWorld } from '../catalog/world.ts';

/** The clock is read once for each flag, because the flags have many values to compare. */
function answersWith(now: () => number, names: readonly string[] = ['a', 'b', 'c']) {
  const world = aWorld();
  world.project('home/shop');
  const values = Array.from({ length: 100 }, (_, index) => `user-${index}`);
  const constraints = [{ contextName: 'userId', operator: 'IN', values }];
  const strategies = { some: { name: 'default', constraints } };
  const on = { environments: { production: { enabled: true, strategies } } };
  for (const name of names) world.flag(`home/${name}`, on);
  const catalog = createCatalog(world.caches, Date.now, { home: 'home' });
  return createAnswers(createEvaluations(createCatalogOrigin(catalog), Math.random), now);
}

/** The clock advances by this at each look. */
function answersWhileEachFlagTakes(ms: number) {
  let time = Date.UTC(2026, 0, 1);
  return answersWith(() => {
    time += ms;
    return time;
  });
}

const question = { scope: { environment: 'production', projects: undefined }, context: {}, turn: turnsOfRequest() };

test('an answer about all flags that takes longer than 10 s is refused, with what to do', async () => {
  await expect(answersWhileEachFlagTakes(6_000).toggles.all(question)).rejects.toMatchObject({
    code: 'busy',
    retryAfterSeconds: 10,
    message: expect.stringMatching(/^the evaluation of all flags in "production" takes longer than 10 s: ask for /),
  });
});

test('an answer within the bound has all flags', async () => {
  const { toggles } = readTagged(await answersWhileEachFlagTakes(1).toggles.all(question));
  expect(toggles.map(({ name }: { readonly name: string }) => name)).toEqual(['a', 'b', 'c']);
});

test('flags that an answer does not contain take turns with other work', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `flag-${index}`);
  const workForEachFlag = () => {
    const endsAt = performance.now() + 6;
    while (performance.now() < endsAt);
    return Date.now();
  };
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const answer = await answersWith(workForEachFlag, names).toggles.all(question, () => false);
  isOver = true;
  expect(readTagged(answer)).toEqual({ toggles: [] });
  expect(turns).toBeGreaterThan(names.length / 4);
});
