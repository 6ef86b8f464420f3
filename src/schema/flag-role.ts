/** The FlagRole kind: a custom role in addition to the built-in ones. */
import { z } from 'zod';
import { closingColumns, defineKind } from '../model/kind.ts';
import type { CustomObject } from '../model/object.ts';
import { statusFields } from './condition.ts';
import { nameIsFree, nameRules } from './fields/name-rules.ts';
import { givenId, idRules, integerId } from './fields/numbered.ts';
import { atomicList, text, wireName } from './fields/shapes.ts';
import { permissionNames } from './permission.ts';

/** The roles in the order of their ids, from 1. */
export const builtInRoleNames = ['Admin', 'Editor', 'Viewer', 'Owner', 'Member'] as const;

const FIRST_ROLE_ID = builtInRoleNames.length + 1;

const roleTypes = ['root', 'project'] as const;
export type RoleType = (typeof roleTypes)[number];

const permission = z.object({
  /** The API server rejects unknown names by the enum; a stored name of another version becomes a condition. */
  name: z
    .string()
    .max(100)
    .meta({ description: 'The permission.', enum: [...permissionNames] }),
  environment: text(
    100,
    'The environment, by its name in the API, to which the permission is limited. Absent or *: all environments.',
  ).optional(),
});

const spec = z.object({
  name: wireName('The name in the API. Absent: metadata.name. Immutable.').optional(),
  type: z.enum(roleTypes).optional().meta({
    description:
      'root: assigned to users, for everything. project (the default): assigned to members, for their project.',
  }),
  displayName: text(200, 'The display name. Absent: the name.').optional(),
  description: text(1000, 'Who should have it.').optional(),
  permissions: atomicList(permission, 300, 'The permissions of the role.').optional(),
  id: integerId(FIRST_ROLE_ID),
});
export type FlagRoleSpec = z.infer<typeof spec>;

const status = z.object({ ...statusFields, id: givenId });
export type FlagRoleStatus = z.infer<typeof status>;

export type FlagRole = CustomObject<FlagRoleSpec, FlagRoleStatus>;

export const flagRole = defineKind<FlagRoleSpec, FlagRoleStatus>({
  kind: 'FlagRole',
  shortNames: ['frole'],
  description:
    'A custom role: the permissions of its users or members. Admin, Editor, Viewer, Owner and Member are built in. Roles live in the operator namespace.',
  namespaces: 'operator',
  spec,
  status,
  columns: [
    { name: 'Id', type: 'integer', jsonPath: '.status.id', description: 'The id in the API.' },
    { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'root or project; blank: project.' },
    { name: 'Display', type: 'string', jsonPath: '.spec.displayName', description: 'The name for people.' },
    ...closingColumns('the role has its name and id'),
  ],
  rootRules: [...nameRules(), nameIsFree(builtInRoleNames, 'role'), ...idRules],
  preservedStatus: ['id'],
});
