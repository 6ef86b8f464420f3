/** Writes of Unleash's API that Vexil does not have say what to do instead. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance('unsupported');
});
afterAll(() => instance.stop());

test.each([
  ['POST /projects/shop/features/any/changeProject', 'vexil export'],
  ['POST /projects/archive/shop', 'archive its flags'],
  ['POST /projects/revive/shop', 'create it'],
  ['POST /tag-types', 'any type'],
  ['PUT /tag-types/simple', 'any type'],
  ['POST /tags', '/features/:featureName/tags'],
  ['DELETE /tags/simple/old', '/features/:featureName/tags'],
])('%s: 403 with what to do instead', async (request, words) => {
  const refused = { status: 403, name: 'OperationDeniedError', body: { newProjectId: 'pay' } };
  expect(await instance.refuses(request, refused)).toContain(words);
});
