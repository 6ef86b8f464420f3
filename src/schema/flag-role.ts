/** The FlagRole kind: a custom role, beside those that are built in. */
import { z } from 'zod';
import { judged } from './condition.ts';
import { closingColumns, type Kind } from './kind.ts';
import { nameIsFree, nameRules } from './name-rules.ts';
import { givenId, idRules, pinnedId } from './numbered.ts';
import type { CustomObject } from './object.ts';
import { permissionNames } from './permission.ts';
import { atomicList, text, wireName } from './shapes.ts';

/** In the order of their ids, from 1. */
export const builtInRoleNames = ['Admin', 'Editor', 'Viewer', 'Owner', 'Member'] as const;

const FIRST_ROLE_ID = builtInRoleNames.length + 1;

const roleTypes = ['root', 'project'] as const;
export type RoleType = (typeof roleTypes)[number];

const permission = z.object({
  /** The API server refuses a name that is not on its list; of what is stored a name of another version is judged. */
  name: z
    .string()
    .max(100)
    .meta({ description: 'What is allowed.', enum: [...permissionNames] }),
  environment: text(100, 'The environment where it is allowed, by its wire name. Absent or *: in all.').optional(),
});

const spec = z.object({
  name: wireName('The name on the wire. Absent: metadata.name. Immutable.').optional(),
  type: z
    .enum(roleTypes)
    .optional()
    .meta({ description: 'root: for users, everywhere. project (also when absent): for members, in their project.' }),
  displayName: text(200, 'The name for people. Absent: the name.').optional(),
  description: text(1000, 'Who should have it.').optional(),
  permissions: atomicList(permission, 300, 'What it allows.').optional(),
  id: pinnedId(FIRST_ROLE_ID),
});
export type FlagRoleSpec = z.infer<typeof spec>;

const status = z.object({ ...judged, id: givenId });
export type FlagRoleStatus = z.infer<typeof status>;

export type FlagRole = CustomObject<FlagRoleSpec, FlagRoleStatus>;

export const flagRole: Kind<FlagRoleSpec, FlagRoleStatus> = {
  kind: 'FlagRole',
  plural: 'flagroles',
  singular: 'flagrole',
  shortNames: ['frole'],
  description:
    "A custom role: what its users or members may do. Admin, Editor, Viewer, Owner and Member are built in. Roles live in the operator's own namespace.",
  spec,
  status,
  columns: [
    { name: 'Id', type: 'integer', jsonPath: '.status.id', description: 'The id on the wire.' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'root or project; blank: project.' },
    { name: 'Display', type: 'string', jsonPath: '.spec.displayName', description: 'The name for people.' },
    ...closingColumns('the role has its name and id'),
  ],
  selectableFields: [],
  rootRules: [...nameRules(), nameIsFree(builtInRoleNames, 'role'), ...idRules],
  lasting: ['id'],
  freeForm: [],
  isolated: [],
};
