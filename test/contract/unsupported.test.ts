/** Writes of Unleash's API that Vexil does not have say what to do instead. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance('unsupported');
});
afterAll(() => instance.stop());

test.each([
  ['POST /projects/archive/shop', 'archive its flags'],
  ['POST /projects/revive/shop', 'create it'],
  ['POST /environments', 'an Environment'],
  ['PUT /environments/update/production', 'an Environment'],
  ['DELETE /environments/production', 'an Environment'],
  ['POST /roles', 'a FlagRole'],
  ['PUT /roles/7', 'a FlagRole'],
  ['POST /user-admin', 'a FlagUser'],
  ['DELETE /user-admin/7', 'a FlagUser'],
  ['POST /projects/shop/access', 'spec.members'],
  ['PUT /projects/shop/access', 'spec.members'],
  ['PUT /projects/shop/environments/production/change-requests/config', 'approvals'],
  ['POST /groups', 'no groups'],
  ['DELETE /groups/7', 'no groups'],
  ['POST /service-account/7/token', 'a ServiceAccount'],
  ['POST /auth/oidc/settings', 'VEXIL_OIDC_'],
  ['POST /tag-types', 'any type'],
  ['PUT /tag-types/simple', 'any type'],
  ['POST /tags', '/features/:featureName/tags'],
  ['DELETE /tags/simple/old', '/features/:featureName/tags'],
])('%s: 403 with what to do instead', async (request, words) => {
  const refused = { status: 403, name: 'OperationDeniedError', body: { newProjectId: 'pay' } };
  expect(await instance.refuses(request, refused)).toContain(words);
});

test('the move of a flag to another project: 409 with the commands', async () => {
  const refused = { status: 409, name: 'ImmutableFieldError', body: { newProjectId: 'pay' } };
  const message = await instance.refuses('POST /projects/shop/features/any/changeProject', refused);
  expect(message).toContain('vexil export');
});

test.each(['/groups', '/service-account', '/auth/oidc/settings'])('GET %s: 404', async (path) => {
  await instance.refuses(`GET ${path}`, { status: 404, name: 'NotFoundError' });
});
