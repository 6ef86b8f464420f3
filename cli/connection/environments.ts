/** Reads the Environments of a cluster, whose freezes affect flags. */
import { environmentsOf } from '../../src/domain/flag/flag-values.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { type Environment, environment } from '../../src/schema/environment.ts';
import type { FeatureFlag } from '../../src/schema/feature-flag.ts';
import type { Terminal } from '../terminal.ts';
import { type ClusterConnection, listReadable } from './cluster.ts';

/**
 * Returns the Environments that a flag names, by wire name. If several namespaces have one, that of the flag comes
 * first.
 */
export type EnvironmentsOfFlag = (flag: FeatureFlag) => ReadonlyMap<string, Environment>;

/**
 * Reads all namespaces, or only that of the context if the user may not list all. A user who may list neither sees a
 * note and gets no Environments.
 */
export async function environmentsInCluster(
  cluster: ClusterConnection,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<EnvironmentsOfFlag> {
  const objects = await listEnvironments(cluster);
  if (!objects) writeError('note: freezes are not considered, because you may not list environments.vexil.dev\n');
  const byName = Map.groupBy(objects ?? [], wireNameOf);
  return (flag) => {
    const found = environmentsOf(flag).flatMap(([name]): (readonly [string, Environment])[] => {
      const all = byName.get(name) ?? [];
      const one = all.find(({ metadata }) => metadata.namespace === flag.metadata.namespace) ?? all[0];
      return one ? [[name, one]] : [];
    });
    return new Map(found);
  };
}

/** As `environmentsInCluster`; undefined if the user may list none. */
export async function listEnvironments(cluster: ClusterConnection): Promise<readonly Environment[] | undefined> {
  const objects = await listReadable(cluster, environment);
  return objects?.map((object) => parseObject(environment, object));
}
