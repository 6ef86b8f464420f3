/** The time from a change at the API server until it is visible: in the answers of Vexil, or to a bare watch. */
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { descriptionOf, FLAGS, flagName, pathOf, SHOP } from './contents.ts';
import type { KeptClient } from './kept-client.ts';
import type { Write } from './patches.ts';
import type { Undo } from './run-bench.ts';

/**
 * The first number of these changes, so that other rows use other numbers. Even ones are polled for, odd ones watched
 * for.
 */
const FIRST = 70_000_000;

/** Polls the flag until the answer shows the change. */
export function seenInAnswers(admin: KeptClient, api: KeptClient): Write {
  return async (number) => {
    const startedAt = performance.now();
    const wanted = await change(admin, 2 * number);
    const path = `/api/admin/projects/shop/features/${flagName((2 * number) % FLAGS)}`;
    let bytes = (await api.call({ method: 'GET', path })).bytes;
    while (!bytes.includes(wanted)) bytes = (await api.call({ method: 'GET', path })).bytes;
    return performance.now() - startedAt;
  };
}

/** Waits until a watch that does nothing else has received it. */
export function seenByWatch(admin: KeptClient, sightings: Sightings): Write {
  return async (number) => {
    const startedAt = performance.now();
    await sightings.of(await change(admin, 2 * number + 1));
    return performance.now() - startedAt;
  };
}

async function change(admin: KeptClient, number: number): Promise<string> {
  const description = descriptionOf(FIRST + number);
  await admin.call({
    method: 'PATCH',
    path: `${pathOf('featureflags', SHOP, flagName(number % FLAGS))}?fieldManager=kubectl-patch`,
    contentType: 'application/merge-patch+json',
    body: { spec: { description } },
  });
  return description;
}

export interface Sightings {
  /** Resolves when the watch has received a flag with this description; it may have received it already. */
  of(description: string): Promise<void>;
}

interface Frame {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly resourceVersion: string };
    readonly spec?: { readonly description?: string };
  };
}

/** Reports the description of each flag that a watch receives, until it is ended. */
export async function followDescriptions(
  transport: Transport,
  signal: AbortSignal,
  receive: (description: string) => void,
): Promise<never> {
  const path = pathOf('featureflags', SHOP);
  // The API server may end a watch that falls behind at any time.
  for (let resourceVersion: string | undefined; ; ) {
    const query = { watch: true, resourceVersion, timeoutSeconds: 3600 };
    const frames = await transport.stream({ path, query, signal });
    for await (const { type, object } of frames as AsyncIterable<Frame>) {
      if (type === 'ERROR') throw new Error(`the bare watch: ${JSON.stringify(object)}`);
      resourceVersion = object.metadata.resourceVersion;
      receive(object.spec?.description ?? '');
    }
  }
}

export function watchBare(kubeconfig: string, undoLater: (undo: Undo) => void): Sightings {
  const transport = connect(loadKubeConfig(kubeconfig));
  const ending = new AbortController();
  undoLater(() => {
    ending.abort(new Error('enough was seen'));
    transport.close();
  });
  const seen = new Set<string>();
  const waiting = new Map<string, () => void>();
  const broken = followDescriptions(transport, ending.signal, (description) => {
    seen.add(description);
    waiting.get(description)?.();
  });
  broken.catch(() => undefined);
  return {
    async of(description) {
      if (seen.has(description)) return;
      const recorded = new Promise<void>((resolve) => waiting.set(description, resolve));
      await Promise.race([recorded, broken]);
      waiting.delete(description);
    },
  };
}
