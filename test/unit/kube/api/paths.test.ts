import { expect, test } from 'vitest';
import { resourcePath } from '../../../../src/kube/api/paths.ts';

const flags = { plural: 'featureflags' };

test('a path has encoded names', () => {
  expect(resourcePath(flags, 'shop', 'a?x')).toBe('/apis/vexil.dev/v1beta1/namespaces/shop/featureflags/a%3Fx');
  expect(resourcePath(flags)).toBe('/apis/vexil.dev/v1beta1/featureflags');
});

test.each(['', '.', '..', 'a/b', '../secrets/b', 'a%2Fb', '\ud800'])(
  '%j names no object, as it would lead to another path',
  (name) => {
    const refusal = expect.objectContaining({
      code: 'not-found',
      message: expect.stringContaining('is no name of an object'),
    });
    expect(() => resourcePath(flags, name, 'x')).toThrow(refusal);
    expect(() => resourcePath(flags, 'shop', name)).toThrow(refusal);
  },
);
