/** Flags and contexts made by chance, for which Vexil and the Yggdrasil engine must agree. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vexil } from '../support/evaluation/answers.ts';
import { asked } from '../support/evaluation/any-document.ts';
import { startYggdrasil, type Yggdrasil } from '../support/evaluation/yggdrasil.ts';

let engine: Yggdrasil;

beforeAll(async () => {
  engine = await startYggdrasil();
});

afterAll(() => engine.stop());

test('Vexil and the Yggdrasil engine agree on flags and contexts made by chance', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async (one) => {
      const ours = vexil(one.document);
      const expected = await engine.ask(one);
      const answers = one.document.features.flatMap(({ name }) => one.contexts.map((context) => ours(name, context)));
      expect(answers).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});
