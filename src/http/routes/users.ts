/** Endpoint 22 and the list that it searches: users. */
import { z } from 'zod';
import { LEAST_CHARACTERS, MOST_FOUND } from '../../domain/search-users.ts';
import { toHome, toSearchUsers } from '../identity/asks.ts';
import { route } from '../route.ts';
import { wireUsers } from '../wire/user.ts';

/** Longer than any text that is searched, also where each of its letters is written with its accents apart. */
const LONGEST_PATTERN = 1000;

const searchQuery = z.object({
  q: z
    .string()
    .max(LONGEST_PATTERN)
    .optional()
    .meta({
      description: `What name, username or e-mail address contains, whatever its case and accents. No character means anything but itself. With fewer than ${LEAST_CHARACTERS} characters nobody is found.`,
      examples: ['ada'],
    }),
});

export const userRoutes = [
  route({
    method: 'get',
    path: '/user-admin',
    summary: 'List the users.',
    refuses: [],
    asks: toHome({ verb: 'list', resource: 'flagusers', permission: 'ADMIN' }),
    answer: 200,
    response: wireUsers,
    handle: ({ pages }) => pages.users(),
  }),
  // The specification matches a pattern against name and e-mail; real servers want username and e-mail to start with it
  // (facts §13). Here all three may contain it: whoever is found there is found here, and so is who else was meant.
  route({
    method: 'get',
    path: '/user-admin/search',
    summary: `Search users, of whom the first ${MOST_FOUND} by id are answered.`,
    refuses: [],
    asks: toSearchUsers,
    query: searchQuery,
    answer: 200,
    response: wireUsers,
    handle: ({ pages }, { query }) => pages.usersMatching(query.q ?? ''),
  }),
];
