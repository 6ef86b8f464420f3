/** Objects without effect, because their name or their project belongs to another object or namespace. */
import { projectIdOf } from '../domain/flag/flag-values.ts';
import type { CustomObject } from '../model/object.ts';
import { type ChangeApproval, changeApproval as changeApprovalKind } from '../schema/change-approval.ts';
import { type ChangeRequest, changeRequest as changeRequestKind } from '../schema/change-request.ts';
import { type FeatureFlag, featureFlag } from '../schema/feature-flag.ts';
import { type Project, project } from '../schema/project.ts';
import { type Segment, segment } from '../schema/segment.ts';
import type { ClaimedCache } from './cached.ts';
import type { ChangeRequestLookups } from './change-requests.ts';
import { nameConflictWithOf } from './holders.ts';
import type { ProjectContext } from './project-context.ts';

interface Parts
  extends Pick<ChangeRequestLookups, 'changeRequest' | 'targetOf'>,
    Pick<ProjectContext, 'namespaceOfProject'> {
  readonly flags: ClaimedCache<FeatureFlag>;
  readonly projects: ClaimedCache<Project>;
  readonly segments: ClaimedCache<Segment>;
  /** The operator namespace, where a segment may name a project of any namespace. */
  readonly home: string;
}

/**
 * Whether an object of a kind, named by its plural, has no effect, because its name or its project belongs to another
 * one, or those of the object that it is about. Objects of the kinds in the operator namespace always have one.
 */
export type DormantLookup = (plural: string, object: CustomObject<unknown, unknown>) => boolean;

export function findDormant(parts: Parts): DormantLookup {
  const { flags, projects, segments, home, changeRequest, targetOf, namespaceOfProject } = parts;
  const isElsewhere = (id: string | undefined, namespace: string) => {
    const owner = id === undefined ? undefined : namespaceOfProject(id);
    return owner !== undefined && owner !== namespace;
  };
  const isDormantFlag = (flag: FeatureFlag) =>
    nameConflictWithOf(flags, flag) !== undefined || isElsewhere(projectIdOf(flag), flag.metadata.namespace);
  const isDormantSegment = (one: Segment) => {
    const { namespace } = one.metadata;
    const isLost = nameConflictWithOf(segments, one) !== undefined;
    return isLost || (namespace !== home && isElsewhere(one.spec.project, namespace));
  };
  const isDormantProject = (one: Project) => nameConflictWithOf(projects, one) !== undefined;
  const isDormantRequest = (request: ChangeRequest) => {
    const target = targetOf(request);
    switch (target?.kind) {
      case 'FeatureFlag':
        return isDormantFlag(target.object);
      case 'Segment':
        return isDormantSegment(target.object);
      case 'Project':
        return isDormantProject(target.object);
      default:
        return false;
    }
  };
  return (plural, object) => {
    switch (plural) {
      case featureFlag.plural:
        return isDormantFlag(object as FeatureFlag);
      case project.plural:
        return isDormantProject(object as Project);
      case segment.plural:
        return isDormantSegment(object as Segment);
      case changeRequestKind.plural:
        return isDormantRequest(object as ChangeRequest);
      case changeApprovalKind.plural: {
        const { metadata, spec } = object as ChangeApproval;
        const request = spec.request && changeRequest({ namespace: metadata.namespace, name: spec.request.name });
        return request !== undefined && isDormantRequest(request);
      }
      default:
        return false;
    }
  };
}
