/** The link to the manifest of a flag in Git. */
import { expect, test } from 'vitest';
import { editUrlOf } from '../../../../src/domain/project/edit-url.ts';

const names = { metadata: { namespace: 'team-a', name: 'cart' }, flag: 'Cart/2', project: 'shop' };
const BASE = 'https://git.example.com/acme/flags/edit/main';

test.each<[string, string | undefined]>([
  [`${BASE}/{namespace}/{name}.yaml`, `${BASE}/team-a/cart.yaml`],
  [`${BASE}/{project}/flags.yaml?search={flag}`, `${BASE}/shop/flags.yaml?search=Cart%2F2`],
  ['http://localhost:3000/{name}', 'http://localhost:3000/cart'],
  [`${BASE}/flags.yaml`, `${BASE}/flags.yaml`],
  [`${BASE}/{branch}/{name}`, undefined],
  ['javascript:alert({name})', undefined],
  ['https://user:secret@git.example.com/{name}', undefined],
  ['{name}', undefined],
])('%s', (template, want) => {
  expect(editUrlOf(template, names)).toBe(want);
});

test('there is none without a template', () => {
  expect(editUrlOf(undefined, names)).toBeUndefined();
});
