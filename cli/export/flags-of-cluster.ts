/** Reads all flags from a cluster, with the credentials of kubectl. */
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { keyOf } from '../../src/model/object.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import { flagManifest, manifestText } from '../../src/wire/admin/manifest.ts';
import { inReach, listObjects, withCluster } from '../connection/cluster.ts';
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
    const { objects, namespace } = await inReach(cluster, options.namespace, async (place) => {
      return { objects: await listObjects(cluster, featureFlag, place), namespace: place };
    });
    const isAll = namespace === options.namespace;
    const notes = isAll ? [] : [`only the namespace "${namespace}", as you may not list the flags of all`];
    const flags = objects.map((object) => parseObject(featureFlag, object));
    return { files: flags.map(fileOf), namespace, notes: [...notes, ...flags.flatMap(defectsOf)] };
  });
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
