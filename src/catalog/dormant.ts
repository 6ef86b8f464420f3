/** Objects without effect, because their name or their project belongs to another object or namespace. */
import { projectIdOf } from '../domain/flag/flag-values.ts';
import type { CustomObject } from '../model/object.ts';
import type { ChangeApproval } from '../schema/change-approval.ts';
import type { ChangeRequest } from '../schema/change-request.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { type KindName, kindNameOf, type ObjectOf } from '../schema/kinds.ts';
import type { Project } from '../schema/project.ts';
import type { Segment } from '../schema/segment.ts';
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
 * one, or those of the object that it is about.
 */
export type DormantLookup = (plural: string, object: CustomObject<unknown, unknown>) => boolean;

type DormantByKind = { readonly [N in KindName]: (object: ObjectOf<N>) => boolean };

/** For a kind of which no object shares its name with one of another namespace, and none belongs to a project. */
const neverDormant = () => false;

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
  const isDormantApproval = ({ metadata: { namespace }, spec }: ChangeApproval) => {
    const request = spec.request && changeRequest({ namespace, name: spec.request.name });
    return request !== undefined && isDormantRequest(request);
  };
  const lookups: DormantByKind = {
    flags: isDormantFlag,
    projects: isDormantProject,
    segments: isDormantSegment,
    changeRequests: isDormantRequest,
    changeApprovals: isDormantApproval,
    environments: neverDormant,
    users: neverDormant,
    roles: neverDormant,
    tokens: neverDormant,
    strategyTypes: neverDormant,
    sinks: neverDormant,
  };
  return (plural, object) => {
    const name = kindNameOf(plural);
    return name !== undefined && lookups[name](object as never);
  };
}
