/** What the API server refuses on behalf of the cluster's own rules, as callers of the admin API see it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { untilRefused } from '../support/control-plane/install-admission.ts';
import { objectPath } from '../support/control-plane/objects.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

const described = "object.spec.?description.orValue('')";

/** Admission policies that a platform team may have, for one namespace. */
function policies(name: string, namespace: string): object[] {
  const matchConstraints = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    resourceRules: [
      {
        apiGroups: ['vexil.dev'],
        apiVersions: ['*'],
        resources: ['featureflags'],
        operations: ['CREATE', 'UPDATE'],
      },
    ],
  };
  const validations = [
    {
      expression: `!${described}.contains('TBD')`,
      messageExpression: `'spec.description must be final, and is "' + ${described} + '"'`,
    },
    {
      expression: `!${described}.contains('secret')`,
      message: 'descriptions with secrets are for security to write',
      reason: 'Forbidden',
    },
  ];
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: { failurePolicy: 'Fail', matchConstraints, validations },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

let input: string;

beforeAll(async () => {
  instance = await startInstance('refusals');
  const { home, cluster } = instance;
  await instance.apply(aFlag(`${home}/ruled`, { description: 'final' }));
  input = policies(home, home)
    .map((policy) => JSON.stringify(policy))
    .join('\n---\n');
  await cluster.kubectlOrThrow(['apply', '-f', '-'], { input });
  const body = aFlag(`${home}/probe`, { description: 'TBD' });
  await untilRefused(cluster, { method: 'POST', path: objectPath('ff', home), query: { dryRun: 'All' }, body });
});
afterAll(async () => {
  await instance.cluster.kubectlOrThrow(['delete', '-f', '-'], { input });
  await instance.stop();
});

test.each<[string, string, unknown]>([
  ['create', 'POST /projects/shop/features', { name: 'new', description: 'TBD' }],
  ['create with dryRun', 'POST /projects/shop/features?dryRun=true', { name: 'new', description: 'TBD' }],
  ['replace', 'PUT /projects/shop/features/ruled', { description: 'TBD' }],
  ['patch', 'PATCH /projects/shop/features/ruled', [{ op: 'replace', path: '/description', value: 'TBD' }]],
])(
  '%s: 422 of the API server is 400 ValidationError that names the property and the value',
  async (_, request, body) => {
    const message = await instance.refuses(request, { status: 400, name: 'ValidationError', body });
    expect(message).toContain('spec.description must be final, and is "TBD"');
    const { details } = (await instance.call(request, { body })).body;
    expect(details).toMatchObject([{ message: expect.stringContaining('spec.description must be final') }]);
  },
);

test('403 of the API server is 403 PermissionError with its reason', async () => {
  const refused = { status: 403, name: 'PermissionError', body: { description: 'secret' } };
  const message = await instance.refuses('PUT /projects/shop/features/ruled', refused);
  expect(message).toContain('descriptions with secrets are for security to write');
});

test('a namespace that is being deleted accepts no new flag, and the answer has the reason', async () => {
  const { cluster, other } = instance;
  await cluster.kubectlOrThrow(['delete', 'namespace', other, '--wait=false']);
  const request = 'POST /projects/pay/features';
  const answer = await instance.call(request, { body: { name: 'too-late' } });
  expect([answer.status, answer.body.name]).toEqual([403, 'PermissionError']);
  expect(answer.body.message).toContain('because it is being terminated');
});
