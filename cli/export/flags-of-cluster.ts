/** Reads all flags from a cluster, with the credentials of kubectl. */
import { isClusterError } from '../../src/errors.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { keyOf } from '../../src/model/object.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import { flagManifest, manifestText } from '../../src/wire/admin/manifest.ts';
import { type ClusterConnection, listObjects, withCluster } from '../connection/cluster.ts';
import type { ClusterOptions } from '../connection/options.ts';
import { type ManifestFile, manifestPath } from '../files/manifest-file.ts';
import type { Terminal } from '../terminal.ts';
import type { ExportedFlags } from './exported-flags.ts';

/** Reads all namespaces unless the options name one, or only that of the context if the user may not list all. */
export async function flagsOfCluster(
  options: ClusterOptions,
  terminal: Pick<Terminal, 'environment'>,
): Promise<ExportedFlags> {
  return withCluster(options, terminal, async (cluster) => {
    const { objects, namespace, notes } = await listFlags(cluster, options.namespace);
    const flags = objects.map((object) => parseObject(featureFlag, object));
    return { files: flags.map(fileOf), namespace, notes: [...notes, ...flags.flatMap(defectsOf)] };
  });
}

async function listFlags(cluster: ClusterConnection, namespace: string | undefined) {
  try {
    return { objects: await listObjects(cluster, featureFlag, namespace), namespace, notes: [] };
  } catch (error) {
    if (namespace !== undefined || !isClusterError(error, 'missing-permission')) throw error;
    const own = cluster.namespace;
    const objects = await listObjects(cluster, featureFlag, own);
    return { objects, namespace: own, notes: [`only the namespace "${own}", as you may not list the flags of all`] };
  }
}

function fileOf(flag: FeatureFlag): ManifestFile {
  const { namespace, name } = flag.metadata;
  return {
    path: manifestPath({ folder: namespace, plural: featureFlag.plural, name }),
    text: manifestText([flagManifest(flag, flag.spec)]),
  };
}

function defectsOf({ metadata, defects }: FeatureFlag): readonly string[] {
  return defects.map(({ path, message }) => `${keyOf(metadata)}: spec.${path.join('.')} is left out: ${message}`);
}
