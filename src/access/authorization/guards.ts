/** What freezes and approvals refuse of each kind. */
import type { Catalog } from '../../catalog/catalog.ts';
import {
  changesRules,
  gainsApprovers,
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
import type { ChangedCatalog } from './changed-environments.ts';
import { refusingFrozen, refusingFrozenOthers } from './refuse-frozen.ts';
import { refusingUnapproved, refusingUnapprovedOthers, refusingUnapprovedSegments } from './refuse-unapproved.ts';

/** Throws, or returns the freezes that the caller bypasses. */
type Guard<S> = (caller: Caller, write: SpecWrite<S>, ref: Ref) => Promise<readonly FrozenEnvironment[]>;

export interface Guards {
  readonly flags: Guard<FlagSpec>;
  readonly projects: Guard<ProjectSpec>;
  readonly environments: Guard<EnvironmentSpec>;
  readonly segments: Guard<SegmentSpec>;
  readonly strategyTypes: Guard<StrategyDefinitionSpec>;
}

interface Touched<S> {
  /** The environments where something else comes into effect. */
  readonly effect: (write: SpecWrite<S>, ref: Ref) => readonly string[];
  /** The environments whose rules change. */
  readonly rules?: (write: SpecWrite<S>, ref: Ref) => readonly string[];
}

export function createGuards(
  catalog: ChangedCatalog &
    Pick<Catalog, 'environmentsOfSegment' | 'flagAt' | 'project' | 'segmentAt' | 'segmentNamed'>,
): Guards {
  const every = () => catalog.environments().map(wireNameOf);
  const refuseUnapproved = refusingUnapproved(catalog);
  const refuseFrozen = refusingFrozen(catalog);
  const others = <S>({ effect, rules = () => [] }: Touched<S>): Guard<S> => {
    const unapproved = refusingUnapprovedOthers<S>(catalog, (...call) => [
      ...new Set([...effect(...call), ...rules(...call)]),
    ]);
    const frozen = refusingFrozenOthers<S>(catalog, effect);
    return async (...call) => {
      await unapproved(...call);
      return frozen(...call);
    };
  };
  const touchedBy = (write: SpecWrite<SegmentSpec>, { name }: Ref): readonly string[] => {
    const segment = write.before && catalog.segmentNamed(write.before.name ?? name);
    if (!segment || touchedBySegment(write).length === 0) return [];
    return catalog.environmentsOfSegment(segment);
  };
  const refuseUnapprovedSegments = refusingUnapprovedSegments(catalog, touchedBy);
  const refuseFrozenSegments = refusingFrozenOthers<SegmentSpec>(catalog, touchedBy);
  return {
    async flags(...call) {
      await refuseUnapproved(...call);
      return refuseFrozen(...call);
    },
    projects: others({
      effect(write, { name }) {
        if (write.after) return usesThatChange(write, every());
        // It could come back with another list.
        const hasFlags = catalog.project(write.before?.name ?? name)?.status?.flags !== 0;
        return hasFlags ? every() : [];
      },
      rules: (write) => (gainsApprovers(write) ? every() : []),
    }),
    environments: others({
      effect: (write, { name }) => (switchesEnvironment(write) ? [write.before?.name ?? name] : []),
      rules: (write, { name }) => (changesRules(write) ? [write.before?.name ?? name] : []),
    }),
    async segments(...call) {
      await refuseUnapprovedSegments(...call);
      return refuseFrozenSegments(...call);
    },
    strategyTypes: others({ effect: (write) => (touchedByStrategyType(write) === 'all' ? every() : []) }),
  };
}
