/** What must be true of names where several namespaces are watched (ADR 28). */
import {
  CLAIM_SHARDS,
  type Claims,
  claimKey,
  claimsOf,
  type ShardLines,
} from '../../src/domain/name-claims/claim-shards.ts';
import { claimedKinds, type NameClaim } from '../../src/domain/name-claims/name-claims.ts';
import type { KubeObject } from './cluster/etcd.ts';
import { stored } from './oracles.ts';
import { HOME } from './replica.ts';
import type { World } from './world.ts';

/** A name stays with its first namespace, every replica knows that, and objects elsewhere report it. */
export function namesStay(world: World): readonly string[] {
  if (world.namespaces.length === 1) return [];
  const shards = Array.from({ length: CLAIM_SHARDS }, (_, shard) => versionsOf(world, shard));
  const claims: Claims = new Map(shards.flatMap((versions) => [...(versions.at(-1) ?? [])]));
  return [...shards.flatMap(moved), ...claimedRightly(world, claims), ...knownByReplicas(world, claims)];
}

function versionsOf({ server: { etcd } }: World, shard: number): readonly Claims[] {
  return etcd
    .since(0)
    .filter(({ key }) => key === `/configmaps/${HOME}/vexil-names-${shard}`)
    .map(({ after }) => claimsOf((after?.['data'] ?? {}) as ShardLines, shard));
}

/** No world lasts as long as a name is kept for its namespace. */
function moved(versions: readonly Claims[]): readonly string[] {
  return versions.slice(1).flatMap((after, index) =>
    [...(versions[index] ?? [])].flatMap(([key, before]) => {
      const namespace = after.get(key)?.namespace;
      return namespace === before.namespace ? [] : [`${key} moved from ${before.namespace} to ${namespace}`];
    }),
  );
}

function claimedRightly(world: World, claims: Claims): readonly string[] {
  return claimedKinds.flatMap((kind) => {
    const objects = stored(world, kind);
    const unclaimed = objects.flatMap((object) => {
      const { namespace, name } = object.metadata;
      const claim = claims.get(claimKey(kind, name));
      if (claim === undefined) return [`${namespace}/${name} has no claim`];
      const reports = reportsConflict(object);
      return reports === (claim.namespace !== namespace)
        ? []
        : [`${namespace}/${name} reports ${reports}: ${textOf(claim)}`];
    });
    const names = new Set(objects.map(({ metadata }) => `${metadata.namespace} ${claimKey(kind, metadata.name)}`));
    const wrongEnds = [...claims]
      .filter(([key]) => key.startsWith(`${kind}/`))
      .filter(([key, { namespace, until }]) => names.has(`${namespace} ${key}`) === (until !== undefined))
      .map(([key, claim]) => `the claim to ${key} is ${textOf(claim)}`);
    return [...unclaimed, ...wrongEnds];
  });
}

function reportsConflict({ status }: KubeObject): boolean {
  const { problems = [] } = (status ?? {}) as { problems?: readonly { readonly reason: string }[] };
  return problems.some(({ reason }) => reason === 'NameConflict');
}

function knownByReplicas(world: World, claims: Claims): readonly string[] {
  return world.running().flatMap(({ actor, platform }) =>
    claimedKinds.flatMap((kind) =>
      [...claims].flatMap(([key, claim]) => {
        const [ofKind, name = ''] = key.split('/');
        const known = ofKind === kind ? platform.names.claims.of(kind).claimOf(name) : claim;
        return textOf(known) === textOf(claim) ? [] : [`${actor.name} knows ${key} as ${textOf(known)}`];
      }),
    ),
  );
}

function textOf(claim: NameClaim | undefined): string {
  return claim ? `${claim.namespace} until ${claim.until}` : 'nobody';
}
