/** Notices that flags have changed, for readers that may not see the changes (ADR 45). */
import { type Clock, pause } from '../model/clock.ts';
import { positionEvent, refetchEvent } from '../wire/ofrep/event-stream.ts';
import type { Feed, Feeds } from './feeds.ts';
import type { Scope } from './flag-origin.ts';
import { keepAnswers } from './kept-answers.ts';
import type { StreamSource } from './open-stream.ts';

/** The state of the flags of one scope. */
interface Notice {
  readonly id: string;
  readonly since: number;
  readonly event: Buffer;
}

/** Readers of a scope that was dropped evaluate once more than necessary. */
const MAX_SCOPES = 1_000;
/** The longest time between an evaluation of a reader and the opening of its stream. */
const OPENING_MS = 60_000;
/** How far the watch of another replica may be behind: the p99, with a large margin. */
const BEHIND_MS = 250;

interface NoticesParts {
  readonly feeds: Pick<Feeds, 'of'>;
  readonly clock: Clock;
  /** The prefix of all ids of this process. */
  readonly idPrefix: string;
  /** Returns a random id, so that ids reveal nothing about the number of changes. */
  readonly newId: () => string;
  readonly ending: AbortSignal;
}

export interface Notices {
  /** `known` is the id of the last notice that the reader has received. */
  sourceOf(scope: Scope, known: string | undefined): StreamSource;
  /**
   * Resolves when this replica knows the change that another replica has noticed, as far as this can be determined.
   */
  untilNoticed(id: string | undefined): Promise<void>;
}

export function createNotices({ feeds, clock, idPrefix, newId, ending }: NoticesParts): Notices {
  const scopes = keepAnswers<() => Notice>({ max: MAX_SCOPES });
  const newNotice = (): Notice => {
    const id = `${idPrefix}-${newId()}`;
    return { id, since: clock.now(), event: refetchEvent(id) };
  };
  const currentOf = ({ environment, projects }: Scope): (() => Notice) => {
    const query = { environment, projects: projects?.toSorted() };
    const key = JSON.stringify([query.environment, query.projects]);
    const known = scopes.get(key);
    if (known) return known;
    const current = follow(feeds.of(query), newNotice);
    scopes.set(key, current);
    return current;
  };
  return {
    sourceOf(scope: Scope, known: string | undefined): StreamSource {
      const current = currentOf(scope);
      let last: Notice | undefined;
      return {
        first() {
          last = current();
          const mayLackIt = known === undefined ? clock.now() - last.since < OPENING_MS : known !== last.id;
          return [mayLackIt ? last.event : positionEvent(last.id)];
        },
        next() {
          const now = current();
          if (now === last) return undefined;
          last = now;
          return [now.event];
        },
        // One notice stands for all changes that a slow reader has missed.
        isKept: () => true,
        last: [],
      };
    },

    async untilNoticed(id: string | undefined): Promise<void> {
      if (id !== undefined && !id.startsWith(`${idPrefix}-`)) await pause(clock, BEHIND_MS, ending);
    },
  };
}

/** Returns the same notice until a flag of the feed changes. */
function follow(feed: Feed, newNotice: () => Notice): () => Notice {
  let at = feed.head();
  let notice = newNotice();
  return () => {
    const events = feed.since(at);
    if (!events?.isEmpty) notice = newNotice();
    at = events?.head ?? feed.head();
    return notice;
  };
}
