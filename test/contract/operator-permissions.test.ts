/** If the ServiceAccount of the operator lacks a permission, the answer is 503 with its name, never 403. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';

let instance: Instance;

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Takes a verb on a resource away from a Role of the operator; the returned function restores the Role. */
async function revoke(role: string, namespace: string, { resource, verb }: { resource: string; verb: string }) {
  const { cluster } = instance;
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/${role}`;
  const { rules } = (await cluster.request({ method: 'GET', path })) as { readonly rules: readonly Rule[] };
  const write = async (wanted: readonly Rule[]) => {
    const contentType = 'application/merge-patch+json';
    await cluster.request({ method: 'PATCH', path, contentType, body: { rules: wanted } });
  };
  const without = rules.flatMap((rule) => {
    if (!rule.resources.includes(resource) || !rule.verbs.includes(verb)) return [rule];
    const others = { ...rule, resources: rule.resources.filter((one) => one !== resource) };
    const rest = { ...rule, resources: [resource], verbs: rule.verbs.filter((one) => one !== verb) };
    return [others, rest].filter(({ resources, verbs }) => resources.length > 0 && verbs.length > 0);
  });
  await write(without);
  return () => write(rules);
}

beforeAll(async () => {
  instance = await startInstance('own-rbac');
  await instance.apply(aFlag(`${instance.other}/kept`, { project: 'pay', description: 'old' }));
});
afterAll(() => instance.stop());

let restore: (() => Promise<void>) | undefined;
beforeEach(() => async () => {
  await restore?.();
  restore = undefined;
});

const user = () => `system:serviceaccount:${instance.home}:vexil`;

interface Case {
  readonly role: string;
  readonly place: () => string;
  readonly resource: string;
  readonly verb: string;
  readonly request: string;
  readonly body?: unknown;
  readonly named: string;
}

const home = () => instance.home;
const other = () => instance.other;

test.each<Case>([
  {
    ...{ role: 'vexil-flags', place: other, resource: 'featureflags', verb: 'patch' },
    ...{ request: 'PUT /projects/pay/features/kept', body: { description: 'new' } },
    named: 'patch featureflags.vexil.dev',
  },
  {
    ...{ role: 'vexil-flags', place: other, resource: 'featureflags', verb: 'create' },
    ...{ request: 'POST /projects/pay/features', body: { name: 'fresh' } },
    named: 'create featureflags.vexil.dev',
  },
  {
    ...{ role: 'vexil', place: home, resource: 'strategydefinitions', verb: 'create' },
    ...{ request: 'POST /strategies', body: { name: 'fresh', parameters: [] } },
    named: 'create strategydefinitions.vexil.dev',
  },
])('$request without $verb on $resource', async ({ role, place, resource, verb, request, body, named }) => {
  const namespace = place();
  restore = await revoke(role, namespace, { resource, verb });
  const answer = await waitUntil({ what: 'the permission is revoked' }, async () => {
    const one = await instance.call(`${request}?dryRun=true`, { body });
    return one.status >= 400 && one;
  });
  const message = `Vexil lacks a permission in the cluster: ${named} in the namespace "${namespace}". Grant it to "${user()}".`;
  expect([answer.status, answer.body.name, answer.body.message]).toEqual([503, 'UnavailableError', message]);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(instance.log).toContainEqual(
    expect.objectContaining({ level: 'error', code: 'missing-permission', reason: message }),
  );
  expect((await instance.call('GET /projects/pay/features/kept')).body.description).toBe('old');
});
