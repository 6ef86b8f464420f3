/** The author in an entry (docs/unleash-compatibility.md#actors). */

import { type Actor, userIds } from '../../domain/history/entry.ts';
import type { Channel } from '../../domain/history/way.ts';
import { UNKNOWN_AUTHOR } from '../../domain/history/witness.ts';
import { wireNameOf } from '../../domain/identity/names.ts';
import type { FlagUser } from '../../schema/flag-user.ts';
import type { Via } from '../../schema/stamp.ts';
import type { Authorship } from './authorship.ts';

/** The users that exist when an entry is derived. */
export interface KnownUsers {
  readonly userNamed: (username: string) => FlagUser | undefined;
  /** `name` is what Kubernetes calls the identity. */
  readonly userBySubject: (name: string) => FlagUser | undefined;
}

type NamedActor = Omit<Actor, 'fieldManager'>;

const nothing = { ip: null, channel: null, reason: null };
const unknown: NamedActor = { createdBy: UNKNOWN_AUTHOR, createdByUserId: userIds.unknownActor, ...nothing };
const vexil: NamedActor = { createdBy: 'unleash_system_user', createdByUserId: userIds.vexil, ...nothing };

/** `writers` are the field managers of the change; none for a deletion. */
export function actorOf(authorship: Authorship, people: KnownUsers, writers: readonly string[] = []): Actor {
  const actor = namedActor(authorship, people);
  const isDirect = actor.channel === 'kubernetes';
  return { ...actor, fieldManager: (isDirect && writers.join(' or ')) || null };
}

function namedActor(authorship: Authorship, people: KnownUsers): NamedActor {
  switch (authorship.by) {
    case 'unknown':
      return unknown;
    case 'vexil':
      return vexil;
    case 'field-manager':
      return { ...unknown, createdBy: authorship.name, channel: 'kubernetes' };
    case 'author': {
      const { from = null, reason = null } = authorship;
      if (isRetention(authorship)) return { ...vexil, reason };
      return { ...whoCame(authorship, people), ip: from, channel: channelOf(authorship), reason };
    }
  }
}

/** Whether Vexil removed the object because its time was over. */
export function isRetention(authorship: Authorship): boolean {
  return authorship.by === 'author' && authorship.via === ('retention' satisfies Via);
}

/** A clone may have been requested through any of them. */
function channelOf({ via, channel }: Stamped): Channel | null {
  if (via === undefined) return 'kubernetes';
  if (via === ('environment-clone' satisfies Via)) return null;
  return channel === 'console' ? 'console' : 'api';
}

type Stamped = Extract<Authorship, { by: 'author' }>;
type Who = Pick<Actor, 'createdBy' | 'createdByUserId'>;

function whoCame({ name, via }: Stamped, { userNamed, userBySubject }: KnownUsers): Who {
  switch (via as Via | undefined) {
    case 'anonymous':
      return unknown;
    case 'bootstrap-token':
    case 'api-token':
      return { createdBy: name, createdByUserId: userIds.adminToken };
    case 'personal-token':
      return userOr(name, userNamed(name));
    case 'environment-clone':
      // The author of a clone may have used any API, and the stamp does not say which.
      return userOr(name, userBySubject(name) ?? userNamed(name));
    default:
      return whoInKubernetes(name, { userBySubject });
  }
}

/** The author behind a name that Kubernetes uses. */
export function whoInKubernetes(name: string, { userBySubject }: Pick<KnownUsers, 'userBySubject'>): Who {
  return userOr(name, userBySubject(name));
}

function userOr(name: string, user: FlagUser | undefined): Who {
  if (!user) return { createdBy: name, createdByUserId: userIds.unknownActor };
  return {
    createdBy: user.spec.email ?? wireNameOf(user),
    createdByUserId: user.status?.id ?? userIds.unknownActor,
  };
}
