/** `vexil request`: asks for the changes of flags and segments in manifests that need approval. */

import { decisiveOf } from '../../src/domain/approval/decisive.ts';
import { askingFor, segmentValuesOf } from '../../src/domain/approval/target.ts';
import type { Values } from '../../src/domain/approval/values.ts';
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { touchedByFlag, touchedBySegment } from '../../src/domain/flag/edit/environments-touched.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { isClusterError } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { isRecord } from '../../src/model/json.ts';
import { API_VERSION, type Kind } from '../../src/model/kind.ts';
import { type AnyObject, keyOf } from '../../src/model/object.ts';
import { changeRequest } from '../../src/schema/change-request.ts';
import { type FlagSpec, featureFlag } from '../../src/schema/feature-flag.ts';
import { segment } from '../../src/schema/segment.ts';
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
  readonly kind: Kind<unknown, unknown>;
  /** As it is. */
  readonly object: AnyObject;
  readonly values: Values;
  /** The environments that need approval. */
  readonly guarded: readonly string[];
}

interface Asked {
  readonly kind: string;
  /** Its namespace and name. */
  readonly target: string;
  readonly request: string;
  readonly environments: readonly string[];
}

export async function runAsk(options: AskOptions, terminal: Terminal): Promise<void> {
  const sources = await readSources(options.filename, terminal.standardInput);
  const parsed = sources.map(parseManifests);
  const [unreadable] = parsed.flatMap((one) => one.unreadable);
  if (unreadable)
    throw new Failure(`${unreadable.place.file}:${unreadable.place.line}: ${unreadable.message}`, EXIT.noInput);
  const manifests = parsed
    .flatMap((one) => one.manifests)
    .filter(({ kind }) => kind === 'flags' || kind === 'segments');
  if (manifests.length === 0) refuseNothing('ask for', options.filename);
  const asked = await withCluster(options, terminal, async (cluster) => {
    // Who may not see the Environments asks in all: Vexil says if none needs approval.
    const environments = await listEnvironments(cluster);
    const needsApproval = (name: string) =>
      environments?.some((one) => wireNameOf(one) === name && one.spec.approvals) ?? true;
    const wanted: Wanted[] = [];
    for (const manifest of manifests) {
      const wantedBy = manifest.kind === 'flags' ? wantedByFlag : wantedBySegment;
      wanted.push(...(await wantedBy(manifest, cluster, needsApproval)));
    }
    const { username } = await whoAmI(cluster);
    const made: Asked[] = [];
    for (const one of wanted) made.push(await create(cluster, one, { ...options, username }));
    return made;
  });
  if (options.output === 'json') terminal.write(`${JSON.stringify({ requests: asked }, null, 2)}\n`);
  else terminal.write(printable(textOf(asked, options)));
}

function textOf(asked: readonly Asked[], { dryRun }: AskOptions): string {
  if (asked.length === 0) return 'No change of these flags and segments needs approval.\n';
  const lines = asked.map(({ target, request, environments }) => {
    const where = environments.join(', ');
    return dryRun
      ? `${target}: would ask for approval in ${where}\n`
      : `${target}: asked for approval in ${where}: ${request}\n  Another person runs: vexil approve ${request}\n`;
  });
  return lines.join('');
}

/** Empty if the change needs no approval. */
async function wantedByFlag(
  manifest: Manifest,
  cluster: ClusterConnection,
  needsApproval: (environment: string) => boolean,
): Promise<readonly Wanted[]> {
  const advice = 'apply it without the environments that need approval first, where it is off';
  const { object, next } = await presentAndNext(featureFlag, { manifest, advice }, cluster);
  const write = { before: object.spec, after: merged(object.spec, next.spec) };
  const guarded = refusedByFreeze(write).filter(needsApproval);
  if (guarded.length === 0) return [];
  return [{ kind: featureFlag, object, values: decisiveOf(write.after, touchedByFlag(write)), guarded }];
}

/** As `wantedByFlag`. */
async function wantedBySegment(
  manifest: Manifest,
  cluster: ClusterConnection,
  needsApproval: (environment: string) => boolean,
): Promise<readonly Wanted[]> {
  const advice = 'apply it: a new segment needs no approval';
  const { object, next } = await presentAndNext(segment, { manifest, advice }, cluster);
  const guarded = (object.status?.environments ?? []).filter(needsApproval);
  const isSame = touchedBySegment({ before: object.spec, after: next.spec }).length === 0;
  if (guarded.length === 0 || isSame) return [];
  if (next.spec.project !== object.spec.project) {
    const message = 'no request can ask for another project of a segment: create another segment';
    throw new Failure(`${keyOf(object.metadata)}: ${message}`, EXIT.findings);
  }
  return [{ kind: segment, object, values: segmentValuesOf(next.spec), guarded }];
}

interface Named {
  readonly manifest: Manifest;
  /** What to do if the object does not exist. */
  readonly advice: string;
}

/** The object as it is, and with the spec of the manifest. */
async function presentAndNext<S, T>(kind: Kind<S, T>, { manifest, advice }: Named, cluster: ClusterConnection) {
  const ref = refOf(manifest, cluster.namespace);
  const path = resourcePath(kind, ref.namespace, ref.name);
  const found = await cluster.transport.request({ method: 'GET', path }).catch((error: unknown) => {
    if (!isClusterError(error, 'not-found')) throw error;
    throw new Failure(`there is no ${kind.kind} ${keyOf(ref)}: ${advice}`, EXIT.noInput);
  });
  const next = parseObject(kind, { ...(found as object), spec: manifest.value['spec'] ?? {} });
  if (next.defects.length > 0) {
    throw new Failure(`${keyOf(ref)}: ${next.defects[0]?.message}: check it with vexil lint`, EXIT.noInput);
  }
  return { object: parseObject(kind, found), next };
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
  { kind: { kind }, object, values, guarded }: Wanted,
  { reason, applyAt, expiresAt, dryRun, username }: AskOptions & { readonly username: string },
): Promise<Asked> {
  const { namespace, name, uid, generation } = object.metadata;
  const body = {
    apiVersion: API_VERSION,
    kind: changeRequest.kind,
    metadata: { generateName: `${name}-`, namespace },
    spec: {
      target: { kind, name, uid, generation },
      ...askingFor(values),
      author: { kind: 'User', name: username },
      ...(reason !== undefined && { reason }),
      ...(applyAt !== undefined && { applyAt }),
      ...(expiresAt !== undefined && { expiresAt }),
    },
  };
  const path = resourcePath(changeRequest, namespace);
  const query = { fieldManager: 'vexil-cli', ...(dryRun && { dryRun: 'All' }) };
  const made = await transport.request({ method: 'POST', path, query, body });
  return { kind, target: keyOf(object.metadata), request: nameOf(made), environments: guarded };
}

/** The dry run of a creation has no version, which a whole object needs. */
function nameOf(made: unknown): string {
  const metadata = isRecord(made) && isRecord(made['metadata']) ? made['metadata'] : {};
  return String(metadata['name'] ?? '');
}
