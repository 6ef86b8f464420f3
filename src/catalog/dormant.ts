/** Objects without effect, because their name or their project belongs to another object or namespace. */
import { projectIdOf } from '../domain/flag/flag-values.ts';
import type { CustomObject } from '../model/object.ts';
import { type FeatureFlag, featureFlag } from '../schema/feature-flag.ts';
import { type Project, project } from '../schema/project.ts';
import { type Segment, segment } from '../schema/segment.ts';
import type { ClaimedCache } from './cached.ts';
import { nameConflictWithOf, nameOwner } from './holders.ts';

interface Parts {
  readonly flags: ClaimedCache<FeatureFlag>;
  readonly projects: ClaimedCache<Project>;
  readonly segments: ClaimedCache<Segment>;
  /** The operator namespace, where a segment may name a project of any namespace. */
  readonly home: string;
}

/**
 * Whether an object of a kind, named by its plural, has no effect, because its name or its project belongs to another
 * one. Objects of the kinds in the operator namespace always have one.
 */
export type DormantLookup = (plural: string, object: CustomObject<unknown, unknown>) => boolean;

export function findDormant({ flags, projects, segments, home }: Parts): DormantLookup {
  const isElsewhere = (id: string | undefined, namespace: string) => {
    if (id === undefined) return false;
    const owner = nameOwner(projects, id)?.metadata ?? projects.claims?.claimOf(id);
    return owner !== undefined && owner.namespace !== namespace;
  };
  return (plural, object) => {
    const { namespace } = object.metadata;
    switch (plural) {
      case featureFlag.plural: {
        const flag = object as FeatureFlag;
        return nameConflictWithOf(flags, flag) !== undefined || isElsewhere(projectIdOf(flag), namespace);
      }
      case project.plural:
        return nameConflictWithOf(projects, object as Project) !== undefined;
      case segment.plural: {
        const one = object as Segment;
        const isLost = nameConflictWithOf(segments, one) !== undefined;
        return isLost || (namespace !== home && isElsewhere(one.spec.project, namespace));
      }
      default:
        return false;
    }
  };
}
