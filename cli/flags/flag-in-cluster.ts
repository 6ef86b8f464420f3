/** Finds a flag in the cluster by its name. */
import { projectIdOf } from '../../src/domain/flag/flag-values.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { readPage } from '../../src/kube/api/page.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { keyOf } from '../../src/model/object.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import { type ClusterConnection, inReach, listObjects } from '../connection/cluster.ts';
import { severalFlags, unknownFlag } from './unknown-flag.ts';

export interface FlagName {
  readonly name: string;
  readonly project: string | undefined;
  /** If absent, all namespaces, or only that of the context if the user may not list all. */
  readonly namespace: string | undefined;
}

/**
 * Finds a flag by its wire name, or else by the name of its object. Throws a Failure if there is none, or more than
 * one.
 */
export async function flagInCluster(cluster: ClusterConnection, wanted: FlagName): Promise<FeatureFlag> {
  const { name, project } = wanted;
  const inProject = (flag: FeatureFlag) => project === undefined || projectIdOf(flag) === project;
  const onWire = (flag: FeatureFlag) => wireNameOf(flag) === name && inProject(flag);
  const { flags: ofObjectName, namespace } = await flagsOfName(cluster, wanted);
  // Only the list of all flags contains a flag whose object has another name.
  const all = ofObjectName.some(onWire)
    ? ofObjectName
    : (await listObjects(cluster, featureFlag, namespace)).map(asFlag);
  const named = all.filter(onWire);
  const [flag, ...others] = named.length > 0 ? named : ofObjectName.filter(inProject);
  const where = namespace === undefined ? 'the cluster' : `the namespace "${namespace}"`;
  if (!flag) throw unknownFlag(name, all.map(wireNameOf), where);
  if (others.length > 0) {
    const places = [flag, ...others].map((one) => `${keyOf(one.metadata)} (project ${projectIdOf(one)})`);
    throw severalFlags(name, places, 'Select one with --namespace or --project.');
  }
  return flag;
}

/** Returns the flags whose objects have this name, and the namespace to look in; undefined means all. */
async function flagsOfName(cluster: ClusterConnection, { name, namespace }: FlagName) {
  return inReach(cluster, namespace, async (place) => {
    const query = { fieldSelector: `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}` };
    const page = await cluster.transport.request({ method: 'GET', path: resourcePath(featureFlag, place), query });
    return { flags: readPage(page).items.map(asFlag), namespace: place };
  });
}

function asFlag(object: unknown): FeatureFlag {
  return parseObject(featureFlag, object);
}
