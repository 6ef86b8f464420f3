/** Writes imported objects to a cluster, after a plan that a person has seen. */

import { isClusterError } from '../../../src/errors.ts';
import { registry } from '../../../src/kinds/registry.ts';
import { resourcePath } from '../../../src/kube/api/paths.ts';
import { kindsAfterReferences } from '../../../src/schema/kinds.ts';
import { confirm } from '../../confirm.ts';
import { type ClusterConnection, withCluster } from '../../connection/cluster.ts';
import { mapBounded } from '../../connection/map-bounded.ts';
import type { ClusterOptions } from '../../connection/options.ts';
import type { ManifestFile } from '../../files/manifest-file.ts';
import { parseManifests } from '../../manifests/parse-manifests.ts';
import { refOf } from '../../manifests/ref.ts';
import { planText } from '../../plan/plan-text.ts';
import { plural } from '../../plural.ts';
import type { Terminal } from '../../terminal.ts';
import { MANAGER, type Planned, planImport, WRITE_QUERY } from './plan-import.ts';
import type { TokenSecret } from './tokens-of-server.ts';

interface Applied {
  readonly files: readonly ManifestFile[];
  readonly secrets: readonly TokenSecret[];
}

interface ApplyOptions extends Omit<ClusterOptions, 'namespace'> {
  readonly yes: boolean;
  readonly output: 'text' | 'json';
}

/** Returns whether everything was written. */
export async function applyImport(
  { files, secrets }: Applied,
  { kubeconfig, kubeContext, yes, output }: ApplyOptions,
  terminal: Terminal,
): Promise<boolean> {
  // The result of the import is JSON on the standard output already.
  const say = output === 'json' ? terminal.writeError : terminal.write;
  const manifests = files.flatMap(({ path: file, text }) => parseManifests({ file, text }).manifests);
  return withCluster({ kubeconfig, kubeContext }, terminal, async (cluster) => {
    const plans = await planImport(manifests, cluster);
    const wanted = plans.filter(({ plan }) => ['create', 'change'].includes(plan.action));
    say(planSummary(plans, terminal));
    if (wanted.length > 0 || secrets.length > 0) {
      const what = `${plural(wanted.length, 'object')} and ${plural(secrets.length, 'Secret')}`;
      const question = `Write ${what} to ${cluster.place}?`;
      await confirm({ question, otherwise: 'nothing was written', yes }, terminal);
      for (const secret of secrets) await createSecret(secret, cluster);
      await writeInOrder(wanted, cluster);
      say(`${plural(wanted.length, 'object')} written\n`);
    }
    return plans.every(({ plan }) => ['create', 'change', 'none'].includes(plan.action));
  });
}

/** New objects are only counted: an import has thousands. */
function planSummary(planned: readonly Planned[], { isColoured }: Terminal): string {
  const plans = planned.map(({ plan }) => plan);
  const created = plans.filter(({ action }) => action === 'create');
  const byKind = Map.groupBy(created, ({ kind }) => kind);
  const counts = [...byKind].map(([kind, list]) => `create ${list.length} ${kind}${list.length === 1 ? '' : 's'}\n`);
  const others = plans.filter(({ action }) => action !== 'create');
  return `${counts.join('')}${others.length > 0 ? planText({ plans: others, passedOver: 0 }, isColoured) : ''}`;
}

async function createSecret(secret: TokenSecret, { transport }: ClusterConnection): Promise<void> {
  const path = resourcePath({ plural: 'secrets', root: 'api/v1' }, secret.metadata.namespace);
  const create = transport.request({ method: 'POST', path, query: { fieldManager: MANAGER }, body: secret });
  await create.catch((error: unknown) => {
    // A token has the same value in each reading.
    if (!isClusterError(error, 'name-taken')) throw error;
  });
}

async function writeInOrder(wanted: readonly Planned[], cluster: ClusterConnection): Promise<void> {
  for (const kind of kindsAfterReferences) {
    const ofKind = wanted.filter(({ manifest }) => manifest.kind === kind);
    await mapBounded(ofKind, (one) => write(one, cluster));
  }
}

async function write({ manifest, plan, patch }: Planned, { transport, namespace }: ClusterConnection): Promise<void> {
  const { kind } = registry[manifest.kind];
  const ref = refOf(manifest, namespace);
  if (plan.action === 'create') {
    const path = resourcePath(kind, ref.namespace);
    await transport.request({ method: 'POST', path, query: WRITE_QUERY, body: manifest.value });
    return;
  }
  const path = resourcePath(kind, ref.namespace, ref.name);
  const contentType = 'application/merge-patch+json';
  await transport.request({ method: 'PATCH', path, query: WRITE_QUERY, contentType, body: patch });
}
