/** The author policy in the namespaces of one test, and what it writes. */
import { installPolicyIn } from './control-plane/install-admission.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Instance, Stored } from './instance.ts';

type Place = Pick<Instance, 'cluster' | 'home' | 'other'>;

/** Resolves when it stamps what is written in both namespaces. */
export async function installAuthorPolicy({ cluster, home, other }: Place): Promise<void> {
  await installPolicyIn(cluster, 'author.yaml', [home, other]);
  const object = { apiVersion: 'vexil.dev/v1alpha1', kind: 'FeatureFlag', metadata: { name: 'probe' }, spec: {} };
  const args = ['create', '--dry-run=server', '-o', 'json', '-f', '-'];
  for (const namespace of [home, other]) {
    await waitUntil({ what: `the policy is in effect in ${namespace}` }, async () => {
      const { stdout } = await cluster.kubectl([...args, '-n', namespace], { input: JSON.stringify(object) });
      return stdout.includes('vexil.dev/changed-by');
    });
  }
}

/** What the annotations of an object say of authors, without the domain in front. */
export function stampOf({ metadata }: Stored): Readonly<Record<string, string>> {
  const entries = Object.entries<string>(metadata.annotations ?? {});
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const [, name] = /^vexil\.dev\/((?:created|changed|deleted)-.*)$/.exec(key) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

/** What vexil-api owns of an object that kubectl has applied: these fields of the spec, and the annotations that name the author. */
export function ownedWithStamp(spec: object): object {
  const names = ['by', 'from', 'generation', 'via'].map((name) => `f:vexil.dev/changed-${name}`);
  return {
    'f:metadata': { 'f:annotations': Object.fromEntries(names.map((name) => [name, {}])) },
    'f:spec': spec,
  };
}
