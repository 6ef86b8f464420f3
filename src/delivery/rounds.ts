/** Visits many members in turns of the event loop, so that requests are served in between. */
import { type Clock, pause } from '../model/clock.ts';
import { nextTurn } from '../runtime/turns.ts';

/** How often each member is visited, whether or not anything has changed. */
const REPEAT_MS = 1_000;
/** The least time between two requested rounds: what is requested meanwhile is one round. */
const GAP_MS = 50;

type Visit<M> = (member: M) => void;

export interface Round {
  /** How many members were visited. */
  readonly visited: number;
  readonly tookMs: number;
}

interface RoundsParts<M> {
  readonly clock: Clock;
  readonly members: ReadonlySet<M>;
  readonly onFault: (error: unknown) => void;
  /** Called after a visit has thrown; the other members are visited all the same. */
  readonly onFaulty: (member: M) => void;
  /** Called after each requested round. */
  readonly onRound: (round: Round) => void;
  readonly ending: AbortSignal;
}

interface Rounds<M> {
  /** Visits each member soon. */
  request(visit: Visit<M>): void;
  /** Visits each member once a second. */
  repeat(visit: Visit<M>): void;
}

export function createRounds<M>({ clock, members, onFault, onFaulty, onRound, ending }: RoundsParts<M>): Rounds<M> {
  let isWanted = false;
  let isRunning = false;
  const visitOne = (visit: Visit<M>, member: M): void => {
    try {
      visit(member);
    } catch (error) {
      onFault(error);
      onFaulty(member);
    }
  };
  const round = async (visit: Visit<M>): Promise<number> => {
    const present = [...members];
    for (const member of present) {
      visitOne(visit, member);
      const turn = nextTurn();
      if (turn !== undefined) await turn;
    }
    return present.length;
  };
  const runWhileWanted = async (visit: Visit<M>): Promise<void> => {
    isRunning = true;
    try {
      // Caches call their listeners one after the other: after the first call, others may still follow.
      await pause(clock, 0, ending);
      while (isWanted && !ending.aborted) {
        isWanted = false;
        const began = clock.now();
        const visited = await round(visit);
        const tookMs = clock.now() - began;
        onRound({ visited, tookMs });
        // At least as long as the round, so that rounds take at most half of the processor.
        await pause(clock, Math.max(GAP_MS, tookMs), ending);
      }
    } finally {
      isRunning = false;
    }
  };
  const repeatUntilEnd = async (visit: Visit<M>): Promise<void> => {
    while (!ending.aborted) {
      await pause(clock, REPEAT_MS, ending);
      await round(visit);
    }
  };
  return {
    request(visit) {
      if (members.size === 0) return;
      isWanted = true;
      if (!isRunning) runWhileWanted(visit).catch(onFault);
    },
    repeat: (visit) => void repeatUntilEnd(visit).catch(onFault),
  };
}
