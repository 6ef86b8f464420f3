/** The objects that the benchmark creates: a project of a realistic size. */
import { API_VERSION } from '../../src/model/kind.ts';
import type { KeptClient } from './kept-client.ts';

export const HOME = 'vexil-bench';
export const SHOP = 'vexil-bench-shop';
export const FLAGS = 1000;

/** An unlimited number of calls at once would measure the queue of the API server. */
export const CONCURRENCY = 16;

export const ENVIRONMENTS = ['development', 'staging', 'production'];

export function pathOf(plural: string, namespace: string, name = ''): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${plural}${name && `/${name}`}`;
}

/** The path that SDKs poll. */
export const SDK_PATH = '/api/client/features?environment=production';

export function flagName(number: number): string {
  return `checkout-step-${String(number).padStart(4, '0')}`;
}

/** All descriptions have the same length, so that answers keep theirs. */
export function descriptionOf(change: number): string {
  return `Checkout in one step, as changed for the ${String(change).padStart(8, '0')}th time.`;
}

export function flagOf(number: number, project: string) {
  const strategies = {
    'staff-first': {
      name: 'flexibleRollout',
      title: 'Staff first',
      parameters: { rollout: number % 101, groupId: flagName(number), stickiness: 'userId' },
      constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['@example.com'] }],
    },
    everyone: { name: 'default', sortOrder: 1 },
  };
  return {
    apiVersion: API_VERSION,
    kind: 'FeatureFlag',
    metadata: { name: flagName(number) },
    spec: {
      project,
      type: 'release',
      description: descriptionOf(0),
      tags: ['simple:payments', 'team:checkout'],
      environments: Object.fromEntries(
        ENVIRONMENTS.map((name, index) => [name, { enabled: number % 3 >= index, strategies }]),
      ),
    },
  };
}

/** Creates the environments. The operator namespace must exist. */
export async function applyEnvironments(admin: KeptClient): Promise<void> {
  for (const [index, name] of ENVIRONMENTS.entries()) {
    const spec = { type: name, sortOrder: index };
    const body = { apiVersion: API_VERSION, kind: 'Environment', metadata: { name }, spec };
    await admin.call({ method: 'POST', path: pathOf('environments', HOME), body });
  }
}

/** Creates a project with its flags. The namespace must exist. */
export async function applyProject(admin: KeptClient, namespace: string, name: string): Promise<void> {
  const spec = { displayName: 'Web shop', environments: ENVIRONMENTS };
  const body = { apiVersion: API_VERSION, kind: 'Project', metadata: { name }, spec };
  await admin.call({ method: 'POST', path: pathOf('projects', namespace), body });
}

export async function fill(admin: KeptClient): Promise<void> {
  await applyEnvironments(admin);
  await applyProject(admin, SHOP, 'shop');
  let next = 0;
  const create = async () => {
    for (let number = next++; number < FLAGS; number = next++) {
      await admin.call({ method: 'POST', path: pathOf('featureflags', SHOP), body: flagOf(number, 'shop') });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, create));
}

interface Judged {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly observedGeneration?: number; readonly flags?: number };
}

/** Whether the operator has judged every flag, so that it has nothing left to write. */
export async function isAtRest(admin: KeptClient): Promise<boolean> {
  const project: Judged = await read(admin, pathOf('projects', SHOP, 'shop'));
  if (project.status?.flags !== FLAGS) return false;
  const { items }: { items: readonly Judged[] } = await read(admin, pathOf('featureflags', SHOP));
  return items.every(({ metadata, status }) => status?.observedGeneration === metadata.generation);
}

async function read<T>(client: KeptClient, path: string): Promise<T> {
  const { bytes } = await client.call({ method: 'GET', path });
  return JSON.parse(bytes.toString()) as T;
}
