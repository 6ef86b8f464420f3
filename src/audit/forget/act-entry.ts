/** The entry of a forgetting: who forgot somebody, and why, without the name. */
import { hash } from 'node:crypto';
import type { NewEntry } from '../../domain/history/entry.ts';
import type { Author } from '../../domain/identity/author.ts';
import { flagUser } from '../../schema/flag-user.ts';
import type { ForgottenCounts } from '../archive/forget/forgetting-archive.ts';
import { actorOf, type KnownUsers } from '../derive/actor.ts';

export interface Act {
  readonly author: Author;
  readonly reason: string | undefined;
  readonly pseudonym: string;
  readonly counts: ForgottenCounts;
  /** Ms since 1970. */
  readonly at: number;
}

/** It is about a FlagUser of the operator namespace, so those who may list these see it. */
export function entryOfAct(
  { author: { name, via, from, channel }, reason, pseudonym, counts, at }: Act,
  { people, home }: { readonly people: KnownUsers; readonly home: string },
): NewEntry {
  return {
    ...actorOf({ by: 'author', name, via, from, channel, reason }, people),
    ...{ type: 'history-person-forgotten', project: null, environment: null, featureName: null },
    ...{ data: { pseudonym, ...counts }, preData: null, tags: [], subject: '' },
    ...{ resource: flagUser.plural, namespace: home, object: pseudonym, uid: pseudonym },
    ...{ fromVersion: '', toVersion: '', coalesced: false, restored: false, earliestAt: null },
    key: hash('sha256', `forgotten ${pseudonym}`).slice(0, 24),
    createdAt: at,
  };
}
