/** What goes wrong, and how often. Each run has some of the faults only, so that each of them is tried alone, too. */
import type { Actor, Schedule } from './schedule.ts';

export interface Faults {
  /** Around all processes: the API server, the database, the network. */
  readonly world: Actor;
  /** How long a message takes. */
  delayMs(): number;
  losesRequest(): boolean;
  losesAnswer(): boolean;
  /** The status with which the API server refuses a request that it could serve; undefined: it serves it. */
  refuses(): 429 | 500 | undefined;
  /** Whether what was lost leaves its sender waiting, instead of ending its connection. */
  hangs(): boolean;
  losesDatabaseCall(): boolean;
  isCutOff(actor: Actor): boolean;
  /** No messages between this process and the API server for some time. */
  cutOff(actor: Actor, ms: number): void;
  isDatabaseAway(): boolean;
  takeDatabaseAway(ms: number): void;
  /** Ends all faults. */
  heal(): void;
}

export function createFaults(schedule: Schedule, world: Actor): Faults {
  const { random, now } = schedule;
  const often = (share: number) => (random() < 0.5 ? 0 : share);
  const shares = {
    lostRequests: often(0.03),
    lostAnswers: often(0.03),
    refusals: often(0.03),
    lostDatabaseCalls: often(0.02),
    slowMessages: often(0.05),
  };
  const ordinaryMs = 1 + random() * 20;
  const cutOffUntil = new Map<Actor, number>();
  let databaseAwayUntil = 0;
  let isHealed = false;
  const happens = (share: number) => !isHealed && random() < share;
  return {
    world,
    delayMs: () => (happens(shares.slowMessages) ? random() * 4_000 : random() * ordinaryMs),
    losesRequest: () => happens(shares.lostRequests),
    losesAnswer: () => happens(shares.lostAnswers),
    refuses: () => (happens(shares.refusals) ? (random() < 0.5 ? 429 : 500) : undefined),
    hangs: () => random() < 0.3,
    losesDatabaseCall: () => happens(shares.lostDatabaseCalls),
    isCutOff: (actor) => (cutOffUntil.get(actor) ?? 0) > now(),
    cutOff: (actor, ms) => void cutOffUntil.set(actor, now() + ms),
    isDatabaseAway: () => databaseAwayUntil > now(),
    takeDatabaseAway(ms) {
      databaseAwayUntil = now() + ms;
    },
    heal() {
      isHealed = true;
      cutOffUntil.clear();
      databaseAwayUntil = 0;
    },
  };
}
