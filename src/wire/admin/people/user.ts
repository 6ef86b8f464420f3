/** Users and the root roles that they may have, on the wire. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { wireNameOf } from '../../../domain/identity/names.ts';
import type { Role } from '../../../domain/people/roles.ts';
import { isMachine } from '../../../domain/people/subjects.ts';
import type { FlagUser } from '../../../schema/flag-user.ts';
import { wirePositive } from '../fields.ts';
import { presentTime, wireTime } from '../timestamp.ts';

const ADDRESS = 'ada@example.com';

export const wireUser = z
  .object({
    id: wirePositive.meta({ examples: [7] }),
    name: z
      .string()
      .optional()
      .meta({ description: 'The display name. Left out if the user has none.', examples: ['Ada Ahlgren'] }),
    email: z
      .string()
      .optional()
      .meta({ description: 'Left out if it is not known.', examples: [ADDRESS] }),
    username: z.string().meta({ description: 'The name that members of projects have.', examples: [ADDRESS] }),
    imageUrl: z.string().meta({
      description: 'The URL of a picture. If the user has none, the URL of the picture of Gravatar.',
      examples: [gravatarOf(ADDRESS)],
    }),
    inviteLink: z.literal('').meta({ description: 'Vexil has no invitations.' }),
    loginAttempts: z.literal(0).meta({ description: 'Vexil has no sign-in.' }),
    rootRole: wirePositive.optional().meta({ description: 'The id of one of rootRoles.', examples: [2] }),
    seenAt: z.null().meta({ description: 'Not known.' }),
    createdAt: wireTime,
    accountType: z.enum(['User', 'Service Account']).meta({
      description: 'Service Account: the user has Kubernetes identities, and all of them are ServiceAccounts.',
    }),
    scimId: z.null().meta({ description: 'Users come from no directory.' }),
  })
  .meta({ id: 'User' });
export type WireUser = z.infer<typeof wireUser>;

const wireRootRole = z
  .object({
    id: wirePositive.meta({ examples: [2] }),
    name: z.string().meta({ examples: ['Editor'] }),
    type: z.literal('root'),
    description: z
      .string()
      .meta({ examples: ['May change flags, strategy types, segments and tag types, and create projects.'] }),
  })
  .meta({ id: 'RootRole' });

/** The answer of GET /user-admin. */
export const wireUsers = z
  .object({
    users: z.array(wireUser).meta({ description: 'Sorted by id.' }),
    rootRoles: z.array(wireRootRole).meta({ description: 'All root roles, by id.' }),
  })
  .meta({ id: 'Users', description: 'Users, with the root roles that users may have.' });

/** The answer of GET /user-admin/search, in the form of the setting. */
export const wireFoundUsers = z.union([wireUsers, z.array(wireUser)]).meta({ id: 'FoundUsers' });

/** The fields that Vexil knows of a user. `rootRole` is the id of its root role. */
export function presentUser(user: FlagUser, rootRole: number | undefined): WireUser {
  const { status, spec, metadata } = user;
  const username = wireNameOf(user);
  return {
    id: status?.id ?? 0,
    ...(spec.displayName !== undefined && { name: spec.displayName }),
    ...(spec.email !== undefined && { email: spec.email }),
    username,
    imageUrl: spec.imageUrl ?? gravatarOf(spec.email ?? username),
    inviteLink: '',
    loginAttempts: 0,
    ...(rootRole !== undefined && { rootRole }),
    seenAt: null,
    createdAt: presentTime(metadata.creationTimestamp),
    accountType: isMachine(user) ? 'Service Account' : 'User',
    scimId: null,
  };
}

export function presentRootRoles(roles: readonly Role[]): z.infer<typeof wireRootRole>[] {
  return roles.flatMap(({ id, name, type, description }) => (type === 'root' ? [{ id, name, type, description }] : []));
}

/** The picture that Unleash shows (docs/unleash-compatibility.md#user-search). Vexil does not fetch it. */
function gravatarOf(identity: string): string {
  return `https://gravatar.com/avatar/${hash('sha256', identity.toLowerCase())}?s=42&d=retro&r=g`;
}
