/** Any list of variants that the rules allow. */
import fc from 'fast-check';
import type { Variant } from '../../src/schema/variant.ts';

const name = fc.string({
  unit: fc.constantFrom(..."ABZabz019-_.!~*'()"),
  minLength: 1,
  maxLength: 12,
});
const payload = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'csv'), value: fc.string({ maxLength: 20 }) }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ type: 'number' as const, value: `${value}` })),
  fc.json({ maxDepth: 1 }).map((value) => ({ type: 'json' as const, value })),
);
const override = fc.record({
  contextName: fc.constantFrom('userId', 'region'),
  values: fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 3 }),
});
const said = fc.record(
  {
    name: name.filter((text) => text !== '.' && text !== '..'),
    weightType: fc.constantFrom('fix', 'variable'),
    weight: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 1000 })),
    stickiness: fc.constantFrom('default', 'userId', 'random'),
    payload,
    overrides: fc.array(override, { maxLength: 2 }),
  },
  { requiredKeys: ['name', 'weight'] },
);

/** Any list that a caller may send, including the empty one. */
export function anyVariants(maxLength: number): fc.Arbitrary<Variant[]> {
  return fc.uniqueArray(said, { selector: (one) => one.name, maxLength, size: 'max' }).map((list) => withRules(list));
}

/**
 * At least one variant is variable. A variant that would make the sum of the fixed weights too high is variable too.
 */
function withRules(list: readonly Variant[]): Variant[] {
  let fixed = 0;
  return list.map((one, index) => {
    const { weight = 0, weightType } = one;
    const staysFixed = weightType === 'fix' && index > 0 && fixed + weight < 1000;
    if (staysFixed) fixed += weight;
    return staysFixed || weightType !== 'fix' ? one : { ...one, weightType: 'variable' };
  });
}
