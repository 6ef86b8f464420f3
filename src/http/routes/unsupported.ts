/** Writes of Unleash's API that Vexil does not have: each answers with the way to the same end. */
import type { RequestHandler, Router } from 'express';
import { Refusal, type RefusalCode } from '../../errors.ts';

interface Unsupported {
  /** The path below /api/admin. */
  readonly path: string;
  readonly message: string;
  /** Default: `operation-denied`. */
  readonly code?: RefusalCode;
}

const unsupported: readonly Unsupported[] = [
  {
    // Unleash stores context fields, but Vexil reads them from its configuration.
    path: '/context{/*rest}',
    message:
      'The API does not change context fields: constraints may name any field. To list more fields, set VEXIL_CONTEXT_FIELDS, or config.contextFields of the chart.',
  },
  {
    path: '/projects/:projectId/features/:featureName/changeProject',
    code: 'immutable',
    message:
      'The project of a flag cannot change. To move the flag, write its manifest to a file (vexil export), delete the FeatureFlag, and apply the file with another spec.project: applications see it as off in between.',
  },
  {
    path: '/projects/archive/:projectId',
    message: 'Projects have no archive. To retire a project, archive its flags, then delete it.',
  },
  {
    path: '/projects/revive/:projectId',
    message: 'Projects have no archive. To have a deleted project again, create it, or apply its manifest from Git.',
  },
  {
    path: '/environments{/update}{/:environment}',
    message: 'To create, change or delete an environment, use kubectl or Git: the object is an Environment.',
  },
  {
    // A caller could grant more than it has: the rights to write these objects are those of Kubernetes.
    path: '/roles{/*rest}',
    message: 'The API does not change roles. To change a role, use kubectl or Git: the object is a FlagRole.',
  },
  {
    path: '/user-admin{/*rest}',
    message: 'The API does not change users. To change a user, use kubectl or Git: the object is a FlagUser.',
  },
  {
    path: '/projects/:projectId/access',
    message:
      'To change a member, use /projects/:projectId/users/:userId/roles/:roleId. To change all of them, write spec.members of the Project.',
  },
  {
    path: '/projects/:projectId/environments/:environment/change-requests/config',
    message: 'To require approvals, use kubectl or Git: spec.approvals of the Environment.',
  },
  {
    path: '/groups{/*rest}',
    message:
      'Vexil has no groups. Name groups of Kubernetes in a RoleBinding, or members in spec.members of the Project.',
  },
  {
    path: '/service-account{/*rest}',
    message:
      'Vexil has no service accounts of its own. Use a ServiceAccount of Kubernetes, or an admin token (/api-tokens).',
  },
  {
    path: '/auth/:method/settings',
    message: 'The API does not change how people sign in. See the settings with VEXIL_OIDC_.',
  },
  {
    path: '/tag-types{/*rest}',
    message: 'Types of tags are not stored: a tag may have any type.',
  },
  {
    path: '/tags{/*rest}',
    message: 'Tags are stored with their flags. To add or remove a tag, change the flag: /features/:featureName/tags.',
  },
];

/** Reads of these paths are 404 unless another route serves them. */
export function refuseUnsupported(router: Router): void {
  for (const one of unsupported) router.all(one.path, refusing(one));
}

function refusing({ message, code = 'operation-denied' }: Unsupported): RequestHandler {
  return ({ method }, _response, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return next();
    throw new Refusal(code, message);
  };
}
