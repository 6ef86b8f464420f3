/** The changes of manifests that need approval. */
import { decisiveOf } from '../../src/domain/approval/decisive.ts';
import { environmentSettingsOf, projectSettingsOf } from '../../src/domain/approval/settings.ts';
import { segmentValuesOf } from '../../src/domain/approval/target.ts';
import type { Values } from '../../src/domain/approval/values.ts';
import {
  gainsApprovers,
  guardedByProject,
  needsApprovalThere,
} from '../../src/domain/environment/touched-by-others.ts';
import { refusedByFreeze } from '../../src/domain/flag/edit/change-in-freeze.ts';
import { touchedByFlag, touchedBySegment } from '../../src/domain/flag/edit/environments-touched.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { isClusterError } from '../../src/errors.ts';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { recordOf } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind.ts';
import { type AnyObject, keyOf } from '../../src/model/object.ts';
import { type Environment, environment, environmentSettings } from '../../src/schema/environment.ts';
import { type FlagSpec, featureFlag } from '../../src/schema/feature-flag.ts';
import type { KindName } from '../../src/schema/kinds.ts';
import { type ProjectSpec, project } from '../../src/schema/project.ts';
import { segment } from '../../src/schema/segment.ts';
import type { ClusterConnection } from '../connection/cluster.ts';
import { Failure } from '../failure.ts';
import type { Manifest } from '../manifests/parse-manifests.ts';
import { refOf } from '../manifests/ref.ts';
import { EXIT, printable, type Terminal } from '../terminal.ts';

export interface Wanted {
  readonly kind: Kind<unknown, unknown>;
  /** As it is. */
  readonly object: AnyObject;
  readonly values: Values;
  /** The environments that need approval; empty: it is not known which. */
  readonly guarded: readonly string[];
}

interface Guarding {
  readonly needsApproval: (environment: string) => boolean;
  /** The names of all environments; undefined: the user may not see them. */
  readonly names: readonly string[] | undefined;
  readonly note: (text: string) => void;
}

/** Users who cannot see the Environments ask for all of them: Vexil says if none needs approval. */
export function guardingOf(
  environments: readonly Environment[] | undefined,
  { writeError }: Pick<Terminal, 'writeError'>,
): Guarding {
  return {
    needsApproval: (name) => environments?.some((one) => wireNameOf(one) === name && one.spec.approvals) ?? true,
    names: environments?.map(wireNameOf),
    note: (text) => writeError(printable(`note: ${text}\n`)),
  };
}

/** Empty if the change needs no approval. */
type WantedOf = (manifest: Manifest, cluster: ClusterConnection, guarding: Guarding) => Promise<readonly Wanted[]>;

const wantedByFlag: WantedOf = async (manifest, cluster, { needsApproval }) => {
  const advice = 'apply it without the environments that need approval first, where it is off';
  const { object, next } = await presentAndNext(featureFlag, { manifest, advice }, cluster);
  const write = { before: object.spec, after: merged(object.spec, next.spec) };
  const guarded = refusedByFreeze(write).filter(needsApproval);
  if (guarded.length === 0) return [];
  return [{ kind: featureFlag, object, values: decisiveOf(write.after, touchedByFlag(write)), guarded }];
};

const wantedBySegment: WantedOf = async (manifest, cluster, { needsApproval }) => {
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
};

const wantedByProject: WantedOf = async (manifest, cluster, { needsApproval, names, note }) => {
  const found = await presentAndNext(project, { manifest }, cluster).catch(leftOut(manifest, note));
  if (!found) return [];
  const { object, next } = found;
  const isNamed = namedIn(manifest);
  const after = {
    ...object.spec,
    environments: (isNamed('environments') ? next : object).spec.environments,
    members: { ...object.spec.members, ...next.spec.members },
  };
  const write = { before: object.spec, after };
  const guarded = guardedByProject(write, names ?? listedIn(object.spec, after)).filter(needsApproval);
  const mayBeAnywhere = names === undefined && gainsApprovers(write);
  if (guarded.length === 0 && !mayBeAnywhere) return [];
  return [{ kind: project, object, values: projectSettingsOf(after), guarded }];
};

/** Those of which it is known that they exist. */
function listedIn(...specs: readonly Pick<ProjectSpec, 'environments'>[]): readonly string[] {
  return [...new Set(specs.flatMap(({ environments }) => environments ?? []))];
}

const wantedByEnvironment: WantedOf = async (manifest, cluster, { note }) => {
  const found = await presentAndNext(environment, { manifest }, cluster).catch(leftOut(manifest, note));
  if (!found) return [];
  const { object, next } = found;
  const isNamed = namedIn(manifest);
  const settings = Object.keys(environmentSettings) as (keyof typeof environmentSettings)[];
  const after = {
    ...object.spec,
    ...Object.fromEntries(settings.filter(isNamed).map((name) => [name, next.spec[name]])),
  };
  if (!object.spec.approvals || !needsApprovalThere({ before: object.spec, after })) return [];
  return [{ kind: environment, object, values: environmentSettingsOf(after), guarded: [wireNameOf(object)] }];
};

/** No request can ask for a new project or environment, and users who cannot read one cannot change it. */
function leftOut({ value }: Manifest, note: Guarding['note']) {
  return (error: unknown): undefined => {
    if (!isClusterError(error, 'not-found', 'missing-permission')) throw error;
    note(`${value['kind']} is left out: ${error.message}`);
  };
}

/** Whether the spec of the manifest says something about a field, if only that it is null. */
function namedIn({ value }: Manifest): (field: string) => boolean {
  return (field) => Object.hasOwn(recordOf(value['spec']), field);
}

/** For each kind what its manifests ask for; undefined: no request can ask for a change of the kind. */
const WANTED: Readonly<Record<KindName, WantedOf | undefined>> = {
  flags: wantedByFlag,
  segments: wantedBySegment,
  projects: wantedByProject,
  environments: wantedByEnvironment,
  users: undefined,
  roles: undefined,
  tokens: undefined,
  strategyTypes: undefined,
  changeRequests: undefined,
  changeApprovals: undefined,
  sinks: undefined,
};

export function canBeAsked({ kind }: Pick<Manifest, 'kind'>): boolean {
  return WANTED[kind] !== undefined;
}

export const wantedBy: WantedOf = async (manifest, cluster, guarding) =>
  (await WANTED[manifest.kind]?.(manifest, cluster, guarding)) ?? [];

interface ManifestOfRequest {
  readonly manifest: Manifest;
  /** What to do if the object does not exist; absent: rejects with the error of the API server. */
  readonly advice?: string;
}

/** The object as it is, and with the spec of the manifest. */
async function presentAndNext<S, T>(
  kind: Kind<S, T>,
  { manifest, advice }: ManifestOfRequest,
  cluster: ClusterConnection,
) {
  const ref = refOf(manifest, cluster.namespace);
  const path = resourcePath(kind, ref.namespace, ref.name);
  const found = await cluster.transport.request({ method: 'GET', path }).catch((error: unknown) => {
    if (advice === undefined || !isClusterError(error, 'not-found')) throw error;
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
