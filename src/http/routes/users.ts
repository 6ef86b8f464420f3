/** GET /user-admin: users. */
import { z } from 'zod';
import { toHome, toSearchUsers } from '../../access/authorization/requirements.ts';
import { findUser } from '../../catalog/find.ts';
import { MAX_FOUND_USERS, MIN_CHARACTERS } from '../../domain/people/search-users.ts';
import { idInPath } from '../../wire/admin/id.ts';
import { presentUser, wireFoundUsers, wireUser, wireUsers } from '../../wire/admin/people/user.ts';
import { route } from '../route/route.ts';

/** Longer than any text that is searched, also in decomposed form. */
const MAX_PATTERN_LENGTH = 1000;

const searchQuery = z.object({
  q: z
    .string()
    .max(MAX_PATTERN_LENGTH)
    .optional()
    .meta({
      description: `A part of the name, username or e-mail address. Case and accents are ignored, and there are no wildcards. Fewer than ${MIN_CHARACTERS} characters find no user.`,
      examples: ['ada'],
    }),
});

const userPath = z.object({ userId: idInPath('The id of the user.', 7) });
type UserPath = z.output<typeof userPath>;

export const userRoutes = [
  route({
    method: 'get',
    path: '/user-admin',
    summary: 'List the users.',
    description:
      'Users do not sign in to Vexil: `inviteLink` is empty, `loginAttempts` is 0, `seenAt` and `scimId` are null; `emailSent`, `activeSessions`, `deletedSessions` and `permissions` are left out. A user without `spec.imageUrl` has the URL of a Gravatar picture, which holds the SHA-256 of the e-mail address or username. The list has no paging.',
    errors: [],
    requires: toHome({ verb: 'list', resource: 'flagusers', permission: 'ADMIN' }),
    answer: 200,
    response: wireUsers,
    handle: ({ pages }) => pages.users(),
  }),
  // Name, username and e-mail address may contain the pattern, so every user that Unleash finds is found
  // (docs/unleash-compatibility.md#user-search).
  route({
    method: 'get',
    path: '/user-admin/search',
    summary: `Search users. The answer has the first ${MAX_FOUND_USERS} by id.`,
    description:
      'The setting `VEXIL_USER_SEARCH` decides on the form of the answer: an object, or a list of users as Unleash 5 and 6 answer. The answer does not say whether there are more: send a longer `q`. The search ignores case, accents, width and composition, but not vowel signs, as in Hindi and Thai, or Hebrew points. The search also finds users whose subjects are all ServiceAccounts; they have the `accountType` `Service Account`.',
    errors: [],
    requires: toSearchUsers,
    query: searchQuery,
    answer: 200,
    response: wireFoundUsers,
    handle: ({ pages, userSearch }, { query }) => pages.usersMatching(query.q ?? '', userSearch),
  }),
  route({
    method: 'get',
    path: '/user-admin/:userId',
    summary: 'Read a user.',
    description: 'The fields are those of the list of users.',
    errors: ['not-found'],
    requires: toHome({
      verb: 'get',
      resource: 'flagusers',
      permission: 'ADMIN',
      find: ({ catalog }, { userId }: UserPath) => catalog.user(userId),
      sent: ({ userId }) => `${userId}`,
    }),
    params: userPath,
    answer: 200,
    response: wireUser,
    handle: ({ catalog }, { params }) => {
      const user = findUser(catalog, params.userId);
      return presentUser(user, catalog.rootRoleOf(user)?.id);
    },
  }),
];
