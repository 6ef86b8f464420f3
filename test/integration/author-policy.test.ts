/** Who wrote an object last, whichever door they used: the author policy, the stamps of the API, and both together. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAccount } from '../support/account.ts';
import { aFlag } from '../support/builders.ts';
import { installPolicyIn } from '../support/control-plane/install-admission.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, type Stored, startInstance } from '../support/instance.ts';

let instance: Instance;
let alice: Account;

const kubectlAs = async ({ kubeconfig }: Account, args: readonly string[], input?: object) =>
  instance.cluster.kubectl([...args, '-n', instance.home], {
    kubeconfig,
    ...(input && { input: JSON.stringify(input) }),
  });

function stampOf({ metadata }: Stored): Readonly<Record<string, string>> {
  const entries = Object.entries<string>(metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => /^vexil\.dev\/(changed|deleted)-/.test(key)));
}

const stored = (name: string): Promise<Stored> => instance.flag(`${instance.home}/${name}`);

beforeAll(async () => {
  instance = await startInstance('author');
  const { cluster, home, other } = instance;
  await installPolicyIn(cluster, 'author.yaml', [home, other]);
  alice = await createAccount(cluster, {
    namespace: home,
    name: 'alice',
    rules: { [home]: [[['get', 'list', 'create', 'update', 'patch', 'delete'], ['featureflags']]] },
  });
  await waitUntil({ what: 'the policy is in effect' }, async () => {
    const probe = await kubectlAs(
      alice,
      ['create', '--dry-run=server', '-o', 'json', '-f', '-'],
      aFlag(`${home}/probe`),
    );
    return probe.code === 0 && probe.stdout.includes('vexil.dev/changed-by');
  });
});
afterAll(() => instance.stop());

describe('kubectl', () => {
  test('what is created bears the name of its author', async () => {
    const made = await kubectlAs(alice, ['create', '-f', '-'], aFlag(`${instance.home}/created`));
    expect(made.code, made.stderr).toBe(0);
    const flag = await stored('created');
    expect(stampOf(flag)).toEqual({ 'vexil.dev/changed-by': alice.username, 'vexil.dev/changed-generation': '1' });
    expect(flag.status.changedBy).toBe(alice.username);
  });

  test('a change through the API after it, and one by kubectl after that', async () => {
    await kubectlAs(alice, ['create', '-f', '-'], aFlag(`${instance.home}/both`));
    await instance.served('GET /projects/shop/features/both');
    await instance.call('PATCH /projects/shop/features/both', {
      body: [{ op: 'replace', path: '/description', value: 'by the API' }],
    });
    const byApi = await stored('both');
    expect(stampOf(byApi)).toEqual({
      'vexil.dev/changed-by': 'unknown',
      'vexil.dev/changed-generation': '2',
      'vexil.dev/changed-via': 'anonymous',
      'vexil.dev/changed-from': '127.0.0.1',
    });
    expect(byApi.status.changedBy).toBe('unknown');

    const patch = ['patch', 'ff', 'both', '--type=merge', '-p', '{"spec":{"description":"by kubectl"}}'];
    expect((await kubectlAs(alice, patch)).code).toBe(0);
    const byKubectl = await stored('both');
    expect(stampOf(byKubectl)).toEqual({
      'vexil.dev/changed-by': alice.username,
      'vexil.dev/changed-generation': '3',
    });
    expect(byKubectl.status.changedBy).toBe(alice.username);
  });
});
