/** Vexil's evaluator compared with that of the Node SDK. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Evaluator, nodeSdk, vexil } from '../../support/evaluation/answers.ts';
import { type Asked, asked } from '../../support/evaluation/any-document.ts';
import { differences, inBrief } from '../../support/evaluation/differences.ts';

test('Vexil and the Node SDK agree on random flags and contexts', () => {
  const count = { off: 0, on: 0, withVariant: 0 };
  const everywhere = ({ document, contexts }: Asked, answer: Evaluator) =>
    document.features.flatMap(({ name }) => contexts.map((context) => answer(name, context)));
  fc.assert(
    fc.property(asked, (one) => {
      const answers = everywhere(one, vexil(one.document));
      expect(answers).toEqual(everywhere(one, nodeSdk(one.document)));
      for (const { enabled, variant } of answers) count[variant.enabled ? 'withVariant' : enabled ? 'on' : 'off'] += 1;
    }),
    { numRuns: 400 },
  );
  // Agreement would mean little if nearly all flags were off.
  expect(Math.min(...Object.values(count)), JSON.stringify(count)).toBeGreaterThan(100);
});

test.each(differences)('$what', ({ document, context, vexil: ours, node }) => {
  const name = document.features[0]?.name ?? '';
  const answers = { vexil: vexil(document)(name, context), node: nodeSdk(document)(name, context) };
  expect({ vexil: inBrief(answers.vexil), node: inBrief(answers.node) }).toEqual({ vexil: ours, node });
});
