/** A running instance for contract tests: an operator, the objects that it starts with, and requests to both. */
import { expect } from 'vitest';
import type { WritableResources } from '../../src/actions/services.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect } from '../../src/kube/api/transport.ts';
import { kindsByName } from '../../src/schema/kinds.ts';
import { type Answer, adminClient, type Call, type CallOptions } from './admin-client.ts';
import { anEnvironment, aProject, type Manifest } from './builders.ts';
import { type Cluster, sharedCluster } from './cluster.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import { createAsKubectl } from './create-as-kubectl.ts';
import { kubectlApply } from './gitops/writers.ts';
import { type Operator, type OperatorOptions, startOperator } from './operator.ts';
import type { Stored } from './stored.ts';

export interface Expected extends CallOptions {
  readonly status: number;
  /** The name of the error on the wire. */
  readonly name: string;
}

export interface Instance extends Operator {
  readonly cluster: Cluster;
  /** The second watched namespace. */
  readonly other: string;
  readonly call: Call;
  /** Applies manifests as `kubectl apply`. Resolves when the operator has judged them. */
  apply(...manifests: readonly Manifest[]): Promise<void>;
  /** Resolves when the operator has judged the objects with these names. */
  judged(...manifests: readonly Manifest[]): Promise<void>;
  /** The flag object with a status about its present spec. `place` is `namespace/name`. */
  flag(place: string): Promise<Stored>;
  /** The spec of an object that is not a flag. */
  specOf(
    kind: 'project' | 'environment' | 'strategydefinition' | 'apitoken' | 'segment',
    place: string,
  ): Promise<Stored>;
  /** The only flag object with this wire name, which must exist. */
  flagNamed(wireName: string): Promise<Stored>;
  /** Every flag object with this wire name. */
  flagsNamed(wireName: string): Promise<readonly Stored[]>;
  /** Resolves with the answer when it is 200. */
  served(request: string): Promise<Answer>;
  /**
   * The resourceVersion of every flag and of every defined strategy type, and the generation of every API token, by
   * uid.
   */
  versions(): Promise<ReadonlyMap<string, string>>;
  /** The state without statuses of each object of every kind that the API writes, by uid. */
  everything(): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns the answer, and checks that nothing was written: the API server accepted no write of a spec by the
   * operator; and after calls that begin with dry runs, all objects are unchanged.
   */
  untouched(request: string, options?: CallOptions): Promise<Answer>;
  /** Checks a refused call like `untouched`, and returns the message. */
  refuses(request: string, expected: Expected): Promise<string>;
}

/**
 * The instance has the environments `development` before `production`, the project `shop` in the operator namespace,
 * and `pay` in the other one.
 */
export async function startInstance(prefix: string, options: OperatorOptions = {}): Promise<Instance> {
  const cluster = sharedCluster();
  const home = await cluster.freshNamespace(prefix);
  const other = await cluster.freshNamespace(`${prefix}-other`);
  const operator = await startOperator(cluster, home, { watched: [other], ...options });
  const instance = { ...operator, cluster, other, ...accessRequestOf(cluster, operator, { home, other }) };
  await instance.apply(
    anEnvironment(`${home}/production`, { type: 'production', displayName: 'Production', sortOrder: 2 }),
    anEnvironment(`${home}/development`, { type: 'development', displayName: 'Development', sortOrder: 1 }),
    aProject(`${home}/shop`),
    aProject(`${other}/pay`),
  );
  return instance;
}

/** A request writes objects of no other kind, as `Services` has no writer for it. */
const WRITTEN: Readonly<Record<keyof WritableResources, true>> = {
  flags: true,
  projects: true,
  environments: true,
  tokens: true,
  strategyTypes: true,
  segments: true,
  changeRequests: true,
  changeApprovals: true,
};
const writtenKinds = Object.entries(kindsByName).flatMap(([name, kind]) => (name in WRITTEN ? [kind] : []));

interface Places {
  readonly home: string;
  readonly other: string;
}

function accessRequestOf(cluster: Cluster, { url, writes, stop }: Operator, { home, other }: Places) {
  const namespaces = [home, other];
  const call = adminClient(url);
  const transport = connect(loadKubeConfig(cluster.kubeconfig));
  const read = (namespace: string, rest: string): Promise<Stored> =>
    transport.request({ method: 'GET', path: `/apis/vexil.dev/v1beta1/namespaces/${namespace}/${rest}` });

  // The processor is what tests share, and each look costs some of it.
  const patienceFor = (objects: number) => ({ everyMs: 25 + objects, timeoutMs: 120_000 + 100 * objects });
  /** Waits for all objects of a list, unless names are given. */
  const judged = (namespace: string, rest: string, names?: ReadonlySet<string>): Promise<Stored> =>
    waitUntil({ what: `${rest} in ${namespace} is judged`, ...patienceFor(names?.size ?? 0) }, async () => {
      const found = await read(namespace, rest);
      const objects: Stored[] = (found.items ?? [found]).filter(
        ({ metadata }: Stored) => names?.has(metadata.name) ?? true,
      );
      const isThere = names === undefined || objects.length === names.size;
      return (
        isThere && objects.every(({ metadata, status }) => status?.observedGeneration === metadata.generation) && found
      );
    });

  /** Waits for objects of one kind with one request for each namespace, because there may be hundreds. */
  const allJudged = async (manifests: readonly Manifest[]): Promise<void> => {
    for (const [namespace, some] of Map.groupBy(manifests, ({ metadata }) => metadata.namespace)) {
      const [{ kind, metadata }] = some as [Manifest, ...Manifest[]];
      const plural = `${kind.toLowerCase()}s`;
      if (some.length === 1) await judged(namespace, `${plural}/${metadata.name}`);
      else await judged(namespace, plural, new Set(some.map((one) => one.metadata.name)));
    }
  };

  const everyFlag = async (): Promise<Stored[]> => {
    const lists = await Promise.all(namespaces.map((namespace) => judged(namespace, 'featureflags')));
    return lists.flatMap(({ items }) => items);
  };
  const versions = async (): Promise<ReadonlyMap<string, string>> => {
    const [flags, types, tokens] = await Promise.all([
      everyFlag(),
      judged(home, 'strategydefinitions'),
      read(home, 'apitokens'),
    ]);
    const whole: Stored[] = [...flags, ...types.items];
    return new Map([
      ...whole.map(({ metadata }) => [metadata.uid, metadata.resourceVersion] as const),
      // The status of a token changes by itself: when the token was last used, and whether its Secret exists.
      ...tokens.items.map(({ metadata }: Stored) => [metadata.uid, `${metadata.generation}`] as const),
    ]);
  };
  const everything = async (): Promise<ReadonlyMap<string, string>> => {
    const lists = await Promise.all(
      writtenKinds.flatMap(({ plural, namespaces: kept }) =>
        (kept === 'operator' ? [home] : namespaces).map((namespace) => read(namespace, plural)),
      ),
    );
    return new Map(lists.flatMap(({ items }) => items.map(writtenOf)));
  };

  const flagsNamed = async (wireName: string) =>
    (await everyFlag()).filter(({ spec, metadata }) => (spec.name ?? metadata.name) === wireName);

  const untouched = async (request: string, options?: CallOptions): Promise<Answer> => {
    const look = /dryRun/.test(request) || sendsTrials(request) ? everything : writes;
    const before = await look();
    const answer = await call(request, options);
    expect(await look(), `${request} has written`).toEqual(before);
    return answer;
  };

  return {
    call,
    versions,
    everything,
    untouched,
    async stop() {
      await stop();
      transport.close();
    },
    async apply(...manifests: readonly Manifest[]) {
      for (const some of runsOfOneKind(manifests)) {
        const { apply } = kubectlApply(transport);
        for (const manifest of await createAsKubectl(transport, some))
          expect(await apply(manifest)).not.toBe('conflict');
        await allJudged(some);
      }
    },
    async judged(...manifests: readonly Manifest[]) {
      for (const some of runsOfOneKind(manifests)) await allJudged(some);
    },
    async flag(place: string) {
      const [namespace = '', name = ''] = place.split('/');
      return judged(namespace, `featureflags/${name}`);
    },
    async specOf(kind: 'project' | 'environment' | 'strategydefinition' | 'apitoken' | 'segment', place: string) {
      const [namespace = '', name = ''] = place.split('/');
      return (await read(namespace, `${kind}s/${name}`)).spec;
    },
    flagsNamed,
    async flagNamed(wireName: string) {
      const found = await flagsNamed(wireName);
      expect(found, wireName).toHaveLength(1);
      return found[0];
    },
    served: (request: string) =>
      waitUntil({ what: `${request} is answered`, everyMs: 10 }, async () => {
        const answer = await call(request);
        return answer.status === 200 && answer;
      }),
    async refuses(request: string, { status, name, ...options }: Expected) {
      const answer = await untouched(request, options);
      expect({ status: answer.status, name: answer.body?.name }, answer.text).toEqual({ status, name });
      return answer.body.message as string;
    },
  };
}

/** Whether the operator sends dry runs first. It counts them as writes, so only the objects show whether it wrote. */
export function sendsTrials(request: string): boolean {
  return /\/state\/import|\/features-batch\/|\/bulk_features\/|\/projects\/[^/]+\/(archive|revive|delete|stale|tags)\b/.test(
    request,
  );
}

/**
 * The uid of an object, and the fields that change with every write except one of its status. A status changes by
 * itself.
 */
export function writtenOf({ metadata }: Stored): [string, string] {
  const { uid, resourceVersion, managedFields = [], ...others } = metadata;
  const writers = managedFields.filter(({ subresource }: Stored) => subresource !== 'status');
  return [uid, JSON.stringify({ ...others, writers })];
}

/**
 * Manifests of one kind in their order: the operator knows the objects that the next kind refers to before it comes.
 */
function runsOfOneKind(manifests: readonly Manifest[]): readonly (readonly Manifest[])[] {
  const runs: Manifest[][] = [];
  for (const manifest of manifests) {
    const last = runs.at(-1);
    if (last?.[0]?.kind === manifest.kind) last.push(manifest);
    else runs.push([manifest]);
  }
  return runs;
}
