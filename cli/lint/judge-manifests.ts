/** Judges manifests as the operator judges objects in the cluster. */
import type { Catalog } from '../../src/catalog/catalog.ts';
import { atRest } from '../../src/domain/environment/clone-progress.ts';
import { judgeEnvironment } from '../../src/domain/environment/judge-environment.ts';
import { idVerdict } from '../../src/domain/identity/integer-id.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import type { Verdict } from '../../src/domain/judgement/verdict.ts';
import { refusalOf } from '../../src/domain/sink/addresses.ts';
import { judgeApiToken } from '../../src/domain/tokens/judge-api-token.ts';
import { uncheckedSecretState } from '../../src/domain/tokens/token-secret.ts';
import type { JudgeParts, TermResources } from '../../src/kinds/definition.ts';
import { type AnyDefinition, mapKinds } from '../../src/kinds/registry.ts';
import type { CustomObject } from '../../src/model/object.ts';
import type { ApiToken } from '../../src/schema/api-token.ts';
import type { Problem } from '../../src/schema/condition.ts';
import type { Environment } from '../../src/schema/environment.ts';
import { type KindName, kindsAfterReferences } from '../../src/schema/kinds.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';
import { refOf } from '../manifests/ref.ts';
import type { OfflineCluster, OfflineOptions } from './offline-cluster.ts';

/**
 * How manifests of a kind are judged: as in a cluster; offline, without parts that exist only in a cluster; or never,
 * because the verdict is about the objects in a cluster that they want to change.
 */
const JUDGING = {
  flags: 'as in a cluster',
  projects: 'as in a cluster',
  environments: 'offline',
  users: 'as in a cluster',
  roles: 'as in a cluster',
  tokens: 'offline',
  strategyTypes: 'as in a cluster',
  segments: 'as in a cluster',
  changeRequests: 'never',
  changeApprovals: 'never',
  sinks: 'as in a cluster',
} as const satisfies Readonly<Record<KindName, 'as in a cluster' | 'offline' | 'never'>>;

type JudgedOffline = { [N in KindName]: (typeof JUDGING)[N] extends 'offline' ? N : never }[KindName];

type AnyVerdict = Verdict<{ readonly problems?: readonly Problem[] | undefined }>;
type JudgeAny = (object: CustomObject<unknown, unknown>) => Promise<AnyVerdict>;

/** Returns the problems that the statuses would name. */
export async function judgeManifests(
  manifests: readonly Manifest[],
  cluster: OfflineCluster,
  { namespace, now }: OfflineOptions,
): Promise<ReadonlyMap<Manifest, readonly Problem[]>> {
  const judges = judgesOf(cluster, { namespace, now });
  const found = new Map<Manifest, readonly Problem[]>();
  // The verdicts about a kind may depend on those about the kinds before it.
  for (const kind of kindsAfterReferences.filter((name) => JUDGING[name] !== 'never')) {
    for (const manifest of manifests) {
      if (manifest.kind !== kind) continue;
      const object = cluster.stores[kind].get(refOf(manifest, namespace));
      if (!object) continue;
      const { status } = await judges[kind](object);
      cluster.judged(manifest, status);
      found.set(manifest, status.problems ?? []);
    }
  }
  return found;
}

function judgesOf(cluster: OfflineCluster, options: OfflineOptions): Readonly<Record<KindName, JudgeAny>> {
  const { stores, catalog } = cluster;
  const { namespace, now } = options;
  const parts: JudgeParts = {
    catalog,
    resources: mapKinds<TermResources>((_definition, name) => ({ ...stores[name], ...noWrites })),
    ids: idsInOrder(catalog.highestIds),
    secrets: { read: refuse, create: refuse },
    allows: refuse,
    // Usage is known only in a cluster.
    usageConditions: () => [],
    // Secrets and receivers are known only in a cluster.
    sinks: {
      secretOf: async () => ({ state: 'none' }),
      progressOf: () => undefined,
      home: namespace,
      refusalOf: (address, url) => refusalOf(address, url, { allowed: [] }),
      isServed: () => true,
      statusMs: Number.POSITIVE_INFINITY,
    },
    // Files are not removed.
    requests: { retentionMs: undefined, recordedUntil: () => undefined },
    newDigits: () => '0'.repeat(56),
    now: () => now,
  };
  const report = () => Promise.resolve();
  const judges = mapKinds<Record<KindName, JudgeAny>>(({ judge }: AnyDefinition) => {
    const judgeOne = judge(parts);
    return async (object: CustomObject<unknown, unknown>) => judgeOne(object, report);
  });
  return { ...judges, ...offlineJudges(cluster, options) };
}

/** Clones of environments and Secrets of tokens exist only in a cluster. */
function offlineJudges(
  { catalog }: OfflineCluster,
  { now }: OfflineOptions,
): Readonly<Record<JudgedOffline, JudgeAny>> {
  return {
    environments: verdictOf((environment: Environment) =>
      judgeEnvironment(
        {
          environment,
          conflictingOwner: catalog.environmentConflictWith(environment),
          use: catalog.useOf(wireNameOf(environment)),
          clone: atRest(undefined),
        },
        now,
      ),
    ),
    tokens: verdictOf((token: ApiToken) =>
      judgeApiToken(
        {
          token,
          conflictingOwner: catalog.tokenConflictWith(token),
          holding: uncheckedSecretState(token),
          valueConflictWith: undefined,
          userLookup: catalog.userLookup(token.spec.user),
          exists: {
            project: (id) => catalog.project(id) !== undefined,
            environment: (name) => catalog.environment(name) !== undefined,
          },
        },
        now,
      ),
    ),
  };
}

/** The store of a kind contains only objects of that kind. */
function verdictOf<T>(judge: (object: T) => AnyVerdict): JudgeAny {
  return async (object) => judge(object as T);
}

/** Gives ids to objects that name none, as the operator does: above those that others name. */
function idsInOrder(highestIds: Catalog['highestIds']): JudgeParts['ids'] {
  const last = new Map<string, number>();
  return {
    async idFor(plural, object, conflictingOwners) {
      const verdict = idVerdict(object, conflictingOwners);
      if (verdict === 'none') return undefined;
      if (verdict !== 'new') return verdict;
      const id = Math.max(last.get(plural) ?? 0, highestIds()[plural] ?? 0) + 1;
      last.set(plural, id);
      return id;
    },
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('There is no cluster to write to.'));
}

const noWrites = { live: refuse, change: refuse, applyStatus: refuse, remove: refuse, ownedIn: () => [] };
