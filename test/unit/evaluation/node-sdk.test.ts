/** Flags and contexts made by chance, for which Vexil and the Node SDK must agree. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeSdk, vexil } from '../../support/evaluation/answers.ts';
import { asked } from '../../support/evaluation/any-document.ts';

test('Vexil and the Node SDK agree on flags and contexts made by chance', () => {
  fc.assert(
    fc.property(asked, ({ document, contexts }) => {
      const [ours, theirs] = [vexil(document), nodeSdk(document)];
      for (const { name } of document.features) {
        for (const context of contexts) expect(ours(name, context)).toEqual(theirs(name, context));
      }
    }),
    { numRuns: 400 },
  );
});
