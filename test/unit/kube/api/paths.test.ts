import { expect, test } from 'vitest';
import { resourcePath } from '../../../../src/kube/api/paths.ts';

const flags = { plural: 'featureflags' };

test('a path has encoded names', () => {
  expect(resourcePath(flags, 'shop', 'a/b')).toBe('/apis/vexil.dev/v1beta1/namespaces/shop/featureflags/a%2Fb');
  expect(resourcePath(flags)).toBe('/apis/vexil.dev/v1beta1/featureflags');
});

test.each(['.', '..'])('%j names no object, as it would lead to another path', (name) => {
  expect(() => resourcePath(flags, name, 'x')).toThrow('is no name of an object');
  expect(() => resourcePath(flags, 'shop', name)).toThrow('is no name of an object');
});
