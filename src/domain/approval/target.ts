/** What a change request would change: a flag, a segment, a project or an environment. */
import { keyOf, type Ref } from '../../model/object.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequest, ChangeRequestSpec } from '../../schema/change-request.ts';
import type { Environment, EnvironmentSpec } from '../../schema/environment.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { Project, ProjectSpec } from '../../schema/project.ts';
import type { Segment, SegmentSpec } from '../../schema/segment.ts';
import { projectIdOf } from '../flag/flag-values.ts';
import { DEFAULT_PROJECT, wireNameOf } from '../identity/names.ts';
import { decisiveOf, withDecisive } from './decisive.ts';
import { environmentSettingsOf, projectSettingsOf, withEnvironmentSettings, withProjectSettings } from './settings.ts';
import { isDecisive, type SegmentValues, type Values } from './values.ts';

export type Target =
  | { readonly kind: 'FeatureFlag'; readonly object: FeatureFlag }
  | { readonly kind: 'Segment'; readonly object: Segment }
  | { readonly kind: 'Project'; readonly object: Project }
  | { readonly kind: 'Environment'; readonly object: Environment };
export type TargetKind = Target['kind'];

export function environmentsNamed({ environments }: Pick<ChangeRequestSpec, 'environments'>): readonly string[] {
  return Object.keys(environments ?? {});
}

/** The key of the object that the request would change, for an index. */
export function targetKeyOf(request: ChangeRequest): string {
  // A request whose spec cannot be read names none.
  return targetKey(request.spec.target?.kind, targetRefOf(request));
}

export function targetKey(kind: TargetKind | undefined, ref: Ref): string {
  return `${kind} ${keyOf(ref)}`;
}

export function targetRefOf({ metadata, spec }: ChangeRequest): Ref {
  return { namespace: metadata.namespace, name: spec.target?.name ?? '' };
}

/** The project that the target belongs to, or is. Undefined: a segment for all projects, or an environment. */
export function projectOfTarget({ kind, object }: Target): string | undefined {
  switch (kind) {
    case 'FeatureFlag':
      return projectIdOf(object);
    case 'Segment':
      return object.spec.project;
    case 'Project':
      return wireNameOf(object);
    case 'Environment':
      return undefined;
  }
}

/** The project in whose path callers of the API find the request. A target may belong to no project. */
export function projectOfPath(target: Target): string {
  return projectOfTarget(target) ?? DEFAULT_PROJECT;
}

/** What the request asks for. */
export function wantedBy({ spec }: Pick<ChangeRequest, 'spec'>): Values {
  switch (spec.target.kind) {
    case 'FeatureFlag':
      return decisiveOf(spec, environmentsNamed(spec));
    case 'Segment':
      return segmentValuesOf(spec.segment ?? {});
    case 'Project':
      return projectSettingsOf(spec.project ?? {});
    case 'Environment':
      return environmentSettingsOf(spec.environment ?? {});
  }
}

/** The same values as they are now. */
export function presentIn({ kind, object }: Target, { spec }: Pick<ChangeRequest, 'spec'>): Values {
  switch (kind) {
    case 'FeatureFlag':
      return decisiveOf(object.spec, environmentsNamed(spec));
    case 'Segment':
      return segmentValuesOf(object.spec);
    case 'Project':
      return projectSettingsOf(object.spec);
    case 'Environment':
      return environmentSettingsOf(object.spec);
  }
}

/** The flag as the request wants it. */
export function flagAfter(spec: FlagSpec, { spec: asked }: Pick<ChangeRequest, 'spec'>): FlagSpec {
  return withDecisive(spec, decisiveOf(asked, environmentsNamed(asked)));
}

/** The segment as the request wants it. */
export function segmentAfter(spec: SegmentSpec, { spec: asked }: Pick<ChangeRequest, 'spec'>): SegmentSpec {
  const { constraints } = segmentValuesOf(asked.segment ?? {});
  // An absent list is the same as an empty one, and stays as it is written.
  return constraints.length > 0 || spec.constraints !== undefined ? { ...spec, constraints: [...constraints] } : spec;
}

/** The project as the request wants it. */
export function projectAfter(spec: ProjectSpec, { spec: asked }: Pick<ChangeRequest, 'spec'>): ProjectSpec {
  return withProjectSettings(spec, projectSettingsOf(asked.project ?? {}));
}

/** The environment as the request wants it. */
export function environmentAfter(spec: EnvironmentSpec, { spec: asked }: Pick<ChangeRequest, 'spec'>): EnvironmentSpec {
  return withEnvironmentSettings(spec, environmentSettingsOf(asked.environment ?? {}));
}

export function segmentValuesOf({ constraints }: Pick<SegmentSpec, 'constraints'>): SegmentValues {
  return { constraints: constraints ?? [] };
}

type RequestedChange = Omit<ChangeRequestSpec, 'target' | 'reason' | 'author' | 'applyAt' | 'expiresAt' | 'cancelled'>;

/** The fields of a request that ask for the values. */
export function askingFor(values: Values): RequestedChange {
  if ('constraints' in values) return { segment: { constraints: [...values.constraints] } };
  if ('members' in values) {
    const { environments, members } = values;
    return { project: { ...(environments && { environments: [...environments] }), members: { ...members } } };
  }
  if (!isDecisive(values)) return { environment: { ...values } };
  const { archived, variants, dependencies, environments } = values;
  return {
    environments: { ...environments },
    ...(archived && { archived }),
    ...(variants.length > 0 && { variants: [...variants] }),
    ...(dependencies.length > 0 && { dependencies: [...dependencies] }),
  };
}

/** A request with what it is about. */
export interface RequestWithTarget {
  readonly request: ChangeRequest;
  readonly target: Target | undefined;
  /** Where something else would be in effect. */
  readonly environments: readonly string[];
  /** The values of the target now that the request would change. */
  readonly present: Values | undefined;
  readonly decisions: readonly ChangeApproval[];
}
