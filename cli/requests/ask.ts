/** `vexil request`: asks for the changes of manifests that need approval. */

import { type Decisive, decisiveOf } from '../../src/domain/approval/decisive.ts';
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { touchedByFlag } from '../../src/domain/flag/edit/environments-touched.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { isClusterError } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { isRecord } from '../../src/model/json.ts';
import { API_VERSION } from '../../src/model/kind.ts';
import { keyOf } from '../../src/model/object.ts';
import { changeRequest } from '../../src/schema/change-request.ts';
import { type FeatureFlag, type FlagSpec, featureFlag } from '../../src/schema/feature-flag.ts';
import { type ClusterConnection, withCluster } from '../connection/cluster.ts';
import { listEnvironments } from '../connection/environments.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { Failure } from '../failure.ts';
import { type Manifest, parseManifests } from '../manifests/parse-manifests.ts';
import { refOf } from '../manifests/ref.ts';
import { readSources, refuseNothing } from '../manifests/source.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';
import { whoAmI } from './who-am-i.ts';

export interface AskOptions extends ClusterOptions, OutputOptions {
  readonly filename: readonly string[];
  readonly reason?: string;
  readonly applyAt?: string;
  readonly expiresAt?: string;
  readonly dryRun: boolean;
}

interface Wanted {
  readonly flag: FeatureFlag;
  readonly values: Decisive;
  /** The environments that need approval. */
  readonly guarded: readonly string[];
}

interface Asked {
  readonly flag: string;
  readonly request: string;
  readonly environments: readonly string[];
}

export async function runAsk(options: AskOptions, terminal: Terminal): Promise<void> {
  const sources = await readSources(options.filename, terminal.standardInput);
  const parsed = sources.map(parseManifests);
  const [unreadable] = parsed.flatMap((one) => one.unreadable);
  if (unreadable)
    throw new Failure(`${unreadable.place.file}:${unreadable.place.line}: ${unreadable.message}`, EXIT.noInput);
  const flags = parsed.flatMap((one) => one.manifests).filter(({ kind }) => kind === 'flags');
  if (flags.length === 0) refuseNothing('ask for', options.filename);
  const asked = await withCluster(options, terminal, async (cluster) => {
    // Who may not see the Environments asks in all: Vexil says if none needs approval.
    const environments = await listEnvironments(cluster);
    const needsApproval = (name: string) =>
      environments?.some((one) => wireNameOf(one) === name && one.spec.approvals) ?? true;
    const wanted: Wanted[] = [];
    for (const manifest of flags) wanted.push(...(await wantedBy(manifest, cluster, needsApproval)));
    const { username } = await whoAmI(cluster);
    const made: Asked[] = [];
    for (const one of wanted) made.push(await create(cluster, one, { ...options, username }));
    return made;
  });
  if (options.output === 'json') terminal.write(`${JSON.stringify({ requests: asked }, null, 2)}\n`);
  else terminal.write(printable(textOf(asked, options)));
}

function textOf(asked: readonly Asked[], { dryRun }: AskOptions): string {
  if (asked.length === 0) return 'No change of these flags needs approval.\n';
  const lines = asked.map(({ flag, request, environments }) => {
    const where = environments.join(', ');
    return dryRun
      ? `${flag}: would ask for approval in ${where}\n`
      : `${flag}: asked for approval in ${where}: ${request}\n  Another person runs: vexil approve ${request}\n`;
  });
  return lines.join('');
}

/** Empty if the change needs no approval. */
async function wantedBy(
  manifest: Manifest,
  cluster: ClusterConnection,
  needsApproval: (environment: string) => boolean,
): Promise<readonly Wanted[]> {
  const ref = refOf(manifest, cluster.namespace);
  const path = resourcePath(featureFlag, ref.namespace, ref.name);
  const found = await cluster.transport.request({ method: 'GET', path }).catch((error: unknown) => {
    if (!isClusterError(error, 'not-found')) throw error;
    const advice = 'apply it without the environments that need approval first, where it is off';
    throw new Failure(`there is no FeatureFlag ${keyOf(ref)}: ${advice}`, EXIT.noInput);
  });
  const flag = parseObject(featureFlag, found);
  const next = parseObject(featureFlag, { ...(found as object), spec: manifest.value['spec'] ?? {} });
  if (next.defects.length > 0) {
    throw new Failure(`${keyOf(ref)}: ${next.defects[0]?.message}: check it with vexil lint`, EXIT.noInput);
  }
  const write = { before: flag.spec, after: merged(flag.spec, next.spec) };
  const guarded = refusedByFreeze(write).filter(needsApproval);
  if (guarded.length === 0) return [];
  return [{ flag, values: decisiveOf(write.after, touchedByFlag(write)), guarded }];
}

/** Environments that the manifest does not name belong to others. */
function merged(present: FlagSpec, { archived, variants, dependencies, environments }: FlagSpec): FlagSpec {
  return {
    ...present,
    ...(archived !== undefined && { archived }),
    ...(variants !== undefined && { variants }),
    ...(dependencies !== undefined && { dependencies }),
    environments: { ...present.environments, ...environments },
  };
}

async function create(
  { transport }: ClusterConnection,
  { flag, values, guarded }: Wanted,
  { reason, applyAt, expiresAt, dryRun, username }: AskOptions & { readonly username: string },
): Promise<Asked> {
  const { namespace, name, uid, generation } = flag.metadata;
  const { archived, variants, dependencies, environments } = values;
  const body = {
    apiVersion: API_VERSION,
    kind: changeRequest.kind,
    metadata: { generateName: `${name}-`, namespace },
    spec: {
      target: { kind: featureFlag.kind, name, uid, generation },
      environments,
      ...(archived && { archived }),
      ...(variants.length > 0 && { variants }),
      ...(dependencies.length > 0 && { dependencies }),
      author: { kind: 'User', name: username },
      ...(reason !== undefined && { reason }),
      ...(applyAt !== undefined && { applyAt }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
  const path = resourcePath(changeRequest, namespace);
  const query = { fieldManager: 'vexil-cli', ...(dryRun && { dryRun: 'All' }) };
  const made = await transport.request({ method: 'POST', path, query, body });
  return { flag: keyOf(flag.metadata), request: nameOf(made), environments: guarded };
}

/** The dry run of a creation has no version, which a whole object needs. */
function nameOf(made: unknown): string {
  const metadata = isRecord(made) && isRecord(made['metadata']) ? made['metadata'] : {};
  return String(metadata['name'] ?? '');
}
