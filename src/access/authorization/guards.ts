/** What freezes and approvals refuse of each kind. */
import type { Catalog } from '../../catalog/catalog.ts';
import { environmentSettingsOf, projectSettingsOf } from '../../domain/approval/settings.ts';
import {
  guardedByProject,
  needsApprovalThere,
  switchesEnvironment,
  usesThatChange,
} from '../../domain/environment/touched-by-others.ts';
import {
  type SpecWrite,
  touchedBySegment,
  touchedByStrategyType,
} from '../../domain/flag/edit/environments-touched.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { FrozenEnvironment } from '../../errors.ts';
import type { Ref } from '../../model/object.ts';
import type { EnvironmentSpec } from '../../schema/environment.ts';
import type { FlagSpec } from '../../schema/feature-flag.ts';
import type { ProjectSpec } from '../../schema/project.ts';
import type { SegmentSpec } from '../../schema/segment.ts';
import type { StrategyDefinitionSpec } from '../../schema/strategy-definition.ts';
import type { Caller } from '../caller.ts';
import { askedOfSegment, askedOfSettings } from './asked-write.ts';
import type { ChangedCatalog } from './changed-environments.ts';
import { refusingFrozen, refusingFrozenOthers } from './refuse-frozen.ts';
import { refusingUnapproved, refusingUnapprovedOf, refusingUnapprovedOthers } from './refuse-unapproved.ts';

/** Throws, or returns the freezes that the caller bypasses. */
type WriteGuard<S, R = readonly FrozenEnvironment[]> = (caller: Caller, write: SpecWrite<S>, ref: Ref) => Promise<R>;

/** For a kind that freezes and approvals do not concern. */
export const refuseNothing = async (): Promise<readonly FrozenEnvironment[]> => [];

export interface Guards {
  readonly flags: WriteGuard<FlagSpec>;
  readonly projects: WriteGuard<ProjectSpec>;
  readonly environments: WriteGuard<EnvironmentSpec>;
  readonly segments: WriteGuard<SegmentSpec>;
  readonly strategyTypes: WriteGuard<StrategyDefinitionSpec>;
}

/** The environments that a write is about. */
type EnvironmentsOf<S> = (write: SpecWrite<S>, ref: Ref) => readonly string[];

export function createGuards(
  catalog: ChangedCatalog &
    Pick<
      Catalog,
      'environmentAt' | 'environmentsOfSegment' | 'flagAt' | 'project' | 'projectAt' | 'segmentAt' | 'segmentNamed'
    >,
  publicUrl: string | undefined,
): Guards {
  const every = () => catalog.environments().map(wireNameOf);
  const guard =
    <S>(refuseUnapproved: WriteGuard<S, void>, refuseFrozen: WriteGuard<S>): WriteGuard<S> =>
    async (...call) => {
      await refuseUnapproved(...call);
      return refuseFrozen(...call);
    };
  const usedByProject: EnvironmentsOf<ProjectSpec> = (write, { name }) => {
    if (write.after) return usesThatChange(write, every());
    // It could come back with another list.
    const hasFlags = catalog.project(write.before?.name ?? name)?.status?.flags !== 0;
    return hasFlags ? every() : [];
  };
  const usingSegment: EnvironmentsOf<SegmentSpec> = (write, { name }) => {
    const segment = write.before && catalog.segmentNamed(write.before.name ?? name);
    if (!segment || touchedBySegment(write).length === 0) return [];
    return catalog.environmentsOfSegment(segment);
  };
  const usingType: EnvironmentsOf<StrategyDefinitionSpec> = (write) =>
    touchedByStrategyType(write) === 'all' ? every() : [];
  return {
    flags: guard(refusingUnapproved(catalog, publicUrl), refusingFrozen(catalog)),
    projects: guard(
      refusingUnapprovedOf<ProjectSpec>(catalog, {
        ...{ kind: 'Project', asked: askedOfSettings(catalog.projectAt, projectSettingsOf) },
        touched: (write, ref) => (write.after ? guardedByProject(write, every()) : usedByProject(write, ref)),
      }),
      refusingFrozenOthers(catalog, usedByProject),
    ),
    environments: guard(
      refusingUnapprovedOf<EnvironmentSpec>(catalog, {
        ...{ kind: 'Environment', asked: askedOfSettings(catalog.environmentAt, environmentSettingsOf) },
        touched: (write, { name }) => (needsApprovalThere(write) ? [write.before?.name ?? name] : []),
      }),
      refusingFrozenOthers(catalog, (write, { name }) =>
        switchesEnvironment(write) ? [write.before?.name ?? name] : [],
      ),
    ),
    segments: guard(
      refusingUnapprovedOf(catalog, { kind: 'Segment', asked: askedOfSegment(catalog), touched: usingSegment }),
      refusingFrozenOthers(catalog, usingSegment),
    ),
    strategyTypes: guard(refusingUnapprovedOthers(catalog, usingType), refusingFrozenOthers(catalog, usingType)),
  };
}
