/** The phases of a forgetting, each in bounded steps. */
import { hash } from 'node:crypto';
import type { Entry, NewEntry } from '../../domain/history/entry.ts';
import { createForgetter, type PersonNames } from '../../domain/history/forgetter.ts';
import type { Author } from '../../domain/identity/author.ts';
import type { Transport } from '../../kube/api/transport.ts';
import { type Clock, pause } from '../../model/clock.ts';
import { flagUser } from '../../schema/flag-user.ts';
import type { Archive } from '../archive/archive.ts';
import { forgetInEntry } from '../archive/forget/forget-entries.ts';
import { archiveParts, type ForgettingArchive, type ForgottenCounts } from '../archive/forget/forgetting-archive.ts';
import { actorOf, type KnownUsers } from '../derive/actor.ts';
import { forgetInEvents } from './forget-events.ts';

export interface ForgettingStepParts {
  readonly archive: Pick<Archive, 'unpublished'>;
  readonly forgetting: ForgettingArchive;
  readonly transport: Transport;
  /** The namespaces of Events; undefined: all. */
  readonly namespaces: readonly (string | undefined)[];
  /** The operator's own namespace. */
  readonly home: string;
  readonly instance: string;
  readonly people: KnownUsers;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly wallTime: () => number;
}

export interface Work {
  readonly person: PersonNames & { readonly pseudonym: string };
  readonly isDryRun: boolean;
  readonly author: Author;
  readonly reason: string | undefined;
  readonly signal: AbortSignal;
}

export interface Stepped {
  /** Where the next step of the phase begins; undefined: the phase is done. */
  readonly next: string | undefined;
  readonly found: number;
}

export const phases = [...archiveParts, 'publishing', 'events', 'act'] as const;
export type Phase = (typeof phases)[number];

type RunStep = (work: Work, from: string) => Promise<Stepped>;

/** The longest wait for Events that the leader is publishing. */
const PUBLISHING_MS = 60_000;
const LOOK_EVERY_MS = 250;
/** As many as the leader publishes at a time. */
const UNPUBLISHED = 200;
const DONE: Stepped = { next: undefined, found: 0 };

export function createSteps(parts: ForgettingStepParts): Readonly<Record<Phase, RunStep>> {
  const { forgetting, clock, wallTime } = parts;
  const inArchive =
    (part: (typeof archiveParts)[number]): RunStep =>
    ({ person, isDryRun }, from) =>
      forgetting.step(person, { part, from, isDryRun, at: wallTime() });
  return {
    entries: inArchive('entries'),
    witnesses: inArchive('witnesses'),
    versions: inArchive('versions'),
    states: inArchive('states'),
    index: inArchive('index'),

    /** The leader may have read an entry as it was before. Its Event exists once the entry counts as published. */
    async publishing(work, from) {
      const until = from === '' ? wallTime() + PUBLISHING_MS : Number(from);
      if (work.isDryRun || !(wallTime() < until)) return DONE;
      const waiting = await parts.archive.unpublished(UNPUBLISHED);
      if (!waiting.some(isOfPersonIn(work))) return DONE;
      await pause(clock, LOOK_EVERY_MS, work.signal);
      return { ...DONE, next: `${until}` };
    },

    /** `from` is the index of a namespace and the token of a page in it. */
    async events(work, from) {
      const { isDryRun, signal, person } = work;
      const [number = '', token = ''] = from.split(' ');
      const index = Number(number);
      const page = { namespace: parts.namespaces[index], token: token || undefined, isDryRun, signal };
      const { next, found } = await forgetInEvents(
        { ...parts, archive: forgetting },
        { ...page, isOfPerson: isOfPersonIn(work) },
      );
      if (!isDryRun && found > 0) await forgetting.countEvents(person.pseudonym, found);
      if (next !== undefined) return { next: `${index} ${next}`, found };
      return { next: index + 1 < parts.namespaces.length ? `${index + 1}` : undefined, found };
    },

    async act({ person, isDryRun, author, reason }) {
      const { pseudonym } = person;
      const said = reason && createForgetter(person, pseudonym).text(reason);
      const act = { author, reason: said, pseudonym, at: wallTime() };
      if (!isDryRun) await forgetting.end(pseudonym, (counts) => entryOfAct({ ...act, counts }, parts));
      return DONE;
    },
  };
}

/** In a dry run the archive has the names, and otherwise the pseudonym by now. */
function isOfPersonIn({ person, isDryRun }: Work): (entry: Entry) => boolean {
  if (!isDryRun) return (entry) => JSON.stringify(entry).includes(person.pseudonym);
  const forgetter = createForgetter(person, person.pseudonym);
  return (entry) => forgetInEntry(entry, forgetter) !== undefined;
}

interface Act {
  readonly author: Author;
  readonly reason: string | undefined;
  readonly pseudonym: string;
  readonly counts: ForgottenCounts;
  /** Ms since 1970. */
  readonly at: number;
}

/**
 * Who forgot somebody, and why, without the name. It is about a FlagUser of the operator namespace, so those who may
 * list these see it.
 */
function entryOfAct(
  { author: { name, via, from, channel }, reason, pseudonym, counts, at }: Act,
  { people, home }: Pick<ForgettingStepParts, 'people' | 'home'>,
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
