import { expect, test } from 'vitest';
import { refusedCall } from '../../../../src/kube/api/errors.ts';

const user = 'User "system:serviceaccount:home:vexil"';

function refused(message: string) {
  const { code, message: text } = refusedCall({
    action: 'PATCH /',
    status: 403,
    body: { reason: 'Forbidden', message },
  });
  return [code, text];
}

test.each([
  [
    `featureflags.vexil.dev "f" is forbidden: ${user} cannot patch resource "featureflags" in API group "vexil.dev" in the namespace "shop"`,
    'patch featureflags.vexil.dev in the namespace "shop"',
  ],
  [
    `featureflags.vexil.dev "f" is forbidden: ${user} cannot patch resource "featureflags/status" in API group "vexil.dev" in the namespace "shop": RBAC: role "gone" not found`,
    'patch featureflags/status.vexil.dev in the namespace "shop"',
  ],
  [
    `secrets "a" is forbidden: ${user} cannot get resource "secrets" in API group "" in the namespace "home"`,
    'get secrets in the namespace "home"',
  ],
  [
    `tokenreviews.authentication.k8s.io is forbidden: ${user} cannot create resource "tokenreviews" in API group "authentication.k8s.io" at the cluster scope`,
    'create tokenreviews.authentication.k8s.io in the whole cluster',
  ],
])('the authorizer says %s', (message, want) => {
  const text = `Vexil lacks a permission in the cluster: ${want}. Grant it to "system:serviceaccount:home:vexil".`;
  expect(refused(message)).toEqual(['missing-permission', text]);
});

const quoted = `${user} cannot patch resource "featureflags" in API group "vexil.dev" in the namespace "shop"`;

test.each([
  `featureflags.vexil.dev "f" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: ${quoted}`,
  `admission webhook "w" denied the request: featureflags.vexil.dev "f" is forbidden: ${quoted}`,
  'featureflags.vexil.dev "f" is forbidden: unable to create new content in namespace shop because it is being terminated',
  'featureflags.vexil.dev "f" is forbidden: exceeded quota: flags, requested: 1, used: 1, limited: 1',
])('an admission plugin says %s', (message) => {
  expect(refused(message)[0]).toBe('forbidden');
});
