/** The part of a replica that identifies the owner of a token: its own caches, filled by its own watches. */
import { createTokens } from '../../src/catalog/tokens.ts';
import { registry } from '../../src/kinds/registry.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { connectKind } from '../../src/kube/connected-kind.ts';
import { systemClock } from '../../src/runtime/clock.ts';

export type TokenReplica = Awaited<ReturnType<typeof startTokenReplica>>;

interface Options {
  readonly kubeconfig: string;
  readonly home: string;
  /** The present time in ms since 1970. */
  readonly now?: () => number;
}

/** Resolves when the caches are full. */
export async function startTokenReplica({ kubeconfig, home, now = Date.now }: Options) {
  const transport = connect(loadKubeConfig(kubeconfig));
  const end = new AbortController();
  const connection = {
    transport,
    clock: systemClock,
    random: Math.random,
    backoff: () => 100,
    isProtected: () => false,
    observe: () => undefined,
    onFault: (error: unknown) => {
      throw error;
    },
  };
  const tokens = connectKind(connection, { ...registry.tokens, namespaces: [home] });
  const users = connectKind(connection, { ...registry.users, namespaces: [home] });
  const running = Promise.all([tokens.run(end.signal), users.run(end.signal)]);
  await Promise.all([tokens.resource.whenSynced(), users.resource.whenSynced()]);
  const userNamed = (name: string) => users.resource.by('wireName', name)[0];
  return {
    resource: tokens.resource,
    ...createTokens({ tokens: tokens.resource, userNamed, now }),
    async stop() {
      end.abort(new Error('the test is over'));
      await running;
      transport.close();
    },
  };
}
