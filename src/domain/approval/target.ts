/** What a change request would change: a flag or a segment. */
import { keyOf, type Ref } from '../../model/object.ts';
import type { ChangeApproval } from '../../schema/change-approval.ts';
import type { ChangeRequest, ChangeRequestSpec } from '../../schema/change-request.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import type { Segment, SegmentSpec } from '../../schema/segment.ts';
import { projectIdOf } from '../flag/flag-values.ts';
import { DEFAULT_PROJECT } from '../identity/names.ts';
import { decisiveOf, withDecisive } from './decisive.ts';
import { isDecisive, type SegmentValues, type Values } from './values.ts';

export type Target =
  | { readonly kind: 'FeatureFlag'; readonly object: FeatureFlag }
  | { readonly kind: 'Segment'; readonly object: Segment };
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

/** The project that the target names. Undefined: a segment for all projects. */
export function projectOfTarget({ kind, object }: Target): string | undefined {
  return kind === 'FeatureFlag' ? projectIdOf(object) : object.spec.project;
}

/** The project in whose path callers of the API find the request. A segment may be for all projects. */
export function projectOfPath(target: Target): string {
  return projectOfTarget(target) ?? DEFAULT_PROJECT;
}

/** What the request asks for. */
export function wantedBy({ spec }: Pick<ChangeRequest, 'spec'>): Values {
  return spec.target.kind === 'FeatureFlag'
    ? decisiveOf(spec, environmentsNamed(spec))
    : segmentValuesOf(spec.segment ?? {});
}

/** The same values as they are now. */
export function presentIn({ kind, object }: Target, { spec }: Pick<ChangeRequest, 'spec'>): Values {
  return kind === 'FeatureFlag' ? decisiveOf(object.spec, environmentsNamed(spec)) : segmentValuesOf(object.spec);
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

export function segmentValuesOf({ constraints }: Pick<SegmentSpec, 'constraints'>): SegmentValues {
  return { constraints: constraints ?? [] };
}

type Asked = Pick<ChangeRequestSpec, 'environments' | 'archived' | 'variants' | 'dependencies' | 'segment'>;

/** The fields of a request that ask for the values. */
export function askingFor(values: Values): Asked {
  if (!isDecisive(values)) return { segment: { constraints: [...values.constraints] } };
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
