/** Vexil's evaluator compared with the Yggdrasil engine. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vexil } from '../support/evaluation/answers.ts';
import { asked } from '../support/evaluation/any-document.ts';
import { differences, inBrief } from '../support/evaluation/differences.ts';
import { startYggdrasil, type Yggdrasil } from '../support/evaluation/yggdrasil.ts';

let engine: Yggdrasil;

beforeAll(async () => {
  engine = await startYggdrasil();
});

afterAll(() => engine.stop());

test('Vexil and the Yggdrasil engine agree on random flags and contexts', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async (one) => {
      const ours = vexil(one.document);
      const answers = one.document.features.flatMap(({ name }) => one.contexts.map((context) => ours(name, context)));
      expect(answers).toEqual(await engine.ask(one));
    }),
    { numRuns: 4_000 },
  );
});

test.each(differences)('$what', async ({ document, context, yggdrasil }) => {
  const [answer] = await engine.ask({ document, contexts: [context] });
  expect(answer && inBrief(answer)).toBe(yggdrasil);
});
