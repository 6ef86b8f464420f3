/** Personal tokens, made without the API. */
import { tokensDirectly } from './tokens-directly.ts';

interface Place {
  readonly cluster: { readonly kubeconfig: string };
  /** The operator namespace. */
  readonly home: string;
}

/** Resolves with a token of each user, once all of them are accepted. */
export async function personalTokens<U extends string>(
  { cluster, home }: Place,
  users: readonly U[],
): Promise<ReadonlyMap<U, string>> {
  const direct = tokensDirectly(cluster.kubeconfig, home);
  const tokens = new Map<U, string>();
  for (const user of users) {
    await direct.create(user, { type: 'personal', user });
    tokens.set(user, await direct.untilReady(user));
  }
  direct.close();
  return tokens;
}
