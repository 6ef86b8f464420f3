/**
 * The users of a namespace, without the operator: many are created at once, and a watch collects every id that a user
 * ever had.
 */
import { expect } from 'vitest';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { aUser } from './builders.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import { expectHealthyStatus } from './expect-healthy-status.ts';
import type { Stored } from './stored.ts';

const CREATE_CONCURRENCY = 16;

export type UsersDirectly = Awaited<ReturnType<typeof usersDirectly>>;

/** The kubeconfig must allow everything. The watch runs until it is closed. */
export async function usersDirectly(kubeconfig: string, namespace: string) {
  const transport = connect(loadKubeConfig(kubeconfig));
  const path = `/apis/vexil.dev/v1beta1/namespaces/${namespace}/flagusers`;
  const end = new AbortController();
  const request = (call: Parameters<typeof transport.request>[0]): Promise<Stored> => transport.request(call);
  const list = async (): Promise<Stored[]> => (await request({ method: 'GET', path })).items;

  const seen = new Map<number, Set<string>>();
  const { metadata } = await request({ method: 'GET', path });
  const query = { watch: true, resourceVersion: metadata.resourceVersion };
  const frames = await transport.stream({ path, query, signal: end.signal });
  const watching = (async () => {
    for await (const { object } of frames as AsyncIterable<{ object: Stored }>) {
      const id = object.status?.id;
      if (id !== undefined) seen.set(id, (seen.get(id) ?? new Set()).add(object.metadata.uid));
    }
  })().catch(() => undefined);

  return {
    list,
    async create(names: readonly string[]): Promise<void> {
      const waiting = [...names];
      const work = async () => {
        for (let name = waiting.pop(); name; name = waiting.pop()) {
          await request({ method: 'POST', path, body: aUser(`${namespace}/${name}`) });
        }
      };
      await Promise.all(Array.from({ length: CREATE_CONCURRENCY }, work));
    },
    idOf: async (name: string): Promise<number | undefined> =>
      (await request({ method: 'GET', path: `${path}/${name}` })).status?.id,
    delete: (name: string) => request({ method: 'DELETE', path: `${path}/${name}` }),
    /** The highest id of users in the ConfigMap; 0 without a ConfigMap. */
    mark: async (): Promise<number> => {
      const { items } = await request({ method: 'GET', path: `/api/v1/namespaces/${namespace}/configmaps` });
      return Number(items.find((one: Stored) => one.metadata.name === 'vexil-ids')?.data?.flagusers ?? 0);
    },
    /** The number of ids seen so far. */
    numbered: () => seen.size,
    /** Resolves when that many users are ready with healthy statuses. Returns their ids in order. */
    untilReady: (count: number): Promise<number[]> =>
      waitUntil({ what: `${count} users are ready`, everyMs: 50 + count }, async () => {
        const users = await list();
        const isReady = ({ status }: Stored) => status?.conditions?.[0]?.status === 'True';
        if (users.length !== count || !users.every(isReady)) return false;
        for (const user of users) expectHealthyStatus(user);
        return users.map(({ status }) => status.id).sort((a, b) => a - b);
      }),
    /** Fails if two users ever had the same id, even for a moment. */
    expectNeverShared(): void {
      const shared = [...seen].filter(([, uids]) => uids.size > 1).map(([id]) => id);
      expect(shared, 'ids that two users had').toEqual([]);
      expect(seen.size, 'ids that were seen').toBeGreaterThan(0);
    },
    async close(): Promise<void> {
      end.abort();
      await watching;
      transport.close();
    },
  };
}

/** Returns that many names with a prefix. */
export function namesOf(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word}-${index}`);
}
