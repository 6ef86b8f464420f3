/** Which objects must be judged again when a user, a role or an API token changes. */
import { type Caches, type Change, changedInSubstance, changedOrNumbered } from '../catalog/cached.ts';
import { tokenIndexes, type UserIndex, userIndexes } from '../catalog/indexes.ts';
import { wireNameOf } from '../domain/names.ts';
import type { ApiToken } from '../schema/api-token.ts';
import type { FlagRole } from '../schema/flag-role.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import { type Queues, versions, wake, wakeLater, withNamesakes } from './waking.ts';

/** What no two users may have, and only one of them does. */
const contested: readonly UserIndex[] = ['wireName', 'id', 'subject', 'email'];

/** The user itself also for its status alone; the others when it came, went, or was given its id. */
export function wakeByUser({ users, projects, tokens }: Caches, queues: Queues, change: Change<FlagUser>): void {
  wake(queues.users, versions(change));
  if (!changedOrNumbered(change)) return;
  for (const user of versions(change)) {
    for (const index of contested) {
      for (const key of userIndexes[index](user)) wake(queues.users, users.by(index, key));
    }
    wakeLater(queues.projects, projects.by('member', wireNameOf(user)));
    wake(queues.tokens, tokens.by('user', wireNameOf(user)));
  }
}

export function wakeByRole({ users, roles, projects }: Caches, queues: Queues, change: Change<FlagRole>): void {
  wake(queues.roles, versions(change));
  if (!changedOrNumbered(change)) return;
  const ids = versions(change).flatMap(({ spec, status }) => [spec.id, status?.id]);
  for (const id of new Set(ids)) wake(queues.roles, roles.by('id', `${id}`));
  for (const namesake of withNamesakes(roles, change)) {
    const name = wireNameOf(namesake);
    wake(queues.roles, [namesake]);
    wake(queues.users, users.by('rootRole', name));
    wakeLater(queues.projects, projects.by('memberRole', name));
  }
}

/** The token itself also for its status alone; those with its name or value, and what counts it, when that changed. */
export function wakeByToken({ tokens, environments }: Caches, queues: Queues, change: Change<ApiToken>): void {
  wake(queues.tokens, versions(change));
  const isOther = changedInSubstance(change);
  if (!isOther && change.before?.status?.sha256 === change.after?.status?.sha256) return;
  for (const token of versions(change)) {
    for (const digest of tokenIndexes.sha256(token)) wake(queues.tokens, tokens.by('sha256', digest));
  }
  if (!isOther) return;
  for (const namesake of withNamesakes(tokens, change)) {
    wake(queues.tokens, [namesake]);
    for (const name of tokenIndexes.environment(namesake)) {
      wakeLater(queues.environments, environments.by('wireName', name));
    }
  }
}
