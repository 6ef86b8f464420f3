/** Answers about all flags let other work go on, also while flags that they do not contain are evaluated. */
import { expect, test } from 'vitest';
import { createAnswers } from '../../../src/delivery/answers.ts';
import type { Evaluations } from '../../../src/delivery/evaluations.ts';

const FLAGS = 20;
const WORK_MS = 6;

function workFor(ms: number): void {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
}

test('flags that are off take turns too', async () => {
  const flag = {
    feature: { name: 'off', variants: [], strategies: [] },
    evaluate() {
      workFor(WORK_MS);
      return { enabled: false };
    },
  };
  const evaluations = {
    prepare: () => undefined,
    flags: () => Array.from({ length: FLAGS }, () => flag),
    situation: () => ({}),
  } as unknown as Evaluations;
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { toggles } = createAnswers(evaluations, Date.now);
  const answer = await toggles.all(
    { scope: { environment: 'e', projects: [] }, context: {} },
    ({ enabled }) => enabled,
  );
  isOver = true;
  expect(answer).toBe('{"toggles":[]}');
  expect(turns).toBeGreaterThan(FLAGS / 4);
});
