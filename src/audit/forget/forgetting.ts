/** Forgets a person in the archive and in Events, in requests that take about a second each. */
import { createForgetter, refusalToForget } from '../../domain/history/forgetter.ts';
import { Refusal } from '../../errors.ts';
import { pause } from '../../model/clock.ts';
import { truncate } from '../../model/text.ts';
import type { ForgottenCounts } from '../archive/forget/forgetting-archive.ts';
import type { WantedPerson } from '../archive/forget/person-names.ts';
import { createSteps, type ForgettingStepParts, type Phase, phases, type Work } from './forgetting-steps.ts';
import { type PresentObject, type Remains, remainingIn } from './remains.ts';

export interface ForgettingParts extends ForgettingStepParts {
  /** The objects of the cluster. */
  readonly objects: () => Iterable<PresentObject>;
  readonly newPseudonym: () => string;
}

export interface ForgettingRequest extends WantedPerson, Omit<Work, 'person'> {
  /** The `next` of the answer before; undefined: the beginning. */
  readonly position: string | undefined;
}

/** What one request did. */
export interface ForgettingProgress extends ForgottenCounts {
  /** Null in a dry run, and after the end. */
  readonly pseudonym: string | null;
  /** Where the next request goes on; null: nothing is left to do. */
  readonly next: string | null;
  /** What the person is called. Only the first answer has it, and what remains in the cluster. */
  readonly names: readonly string[];
  readonly remains: Remains;
}

export interface Forgetting {
  /** Does the next part of the work. Rejects with Refusal `invalid` for names that are no person's. */
  goOn(request: ForgettingRequest): Promise<ForgettingProgress>;
}

/** After the end: the database does not know the person any more. */
const FILE = 'file:';

/** Where a step of a phase may begin. */
const number = /^\d{0,15}$/;
const startOf: Readonly<Record<Phase, RegExp>> = {
  ...{ entries: number, versions: number, publishing: number, act: /^$/ },
  ...{
    witnesses: /^(?:\d{0,15}|writes\/[^\0]*)$/,
    states: /^[^\0]*$/,
    index: /^(?:merge)?$/,
    events: /^\d{0,5}(?: \S*)?$/,
  },
};

/** How long one request works. */
const WORK_MS = 1_000;
const LOOK_EVERY_MS = 250;
const nothing = { entries: 0, versions: 0, events: 0, names: [], remains: { objects: [], more: 0 } };

interface ForgettingPlace {
  readonly phase: Phase;
  /** Empty: the beginning of the phase. */
  readonly from: string;
}

export function createForgetting(parts: ForgettingParts): Forgetting {
  const { forgetting, clock } = parts;
  const steps = createSteps(parts);
  return {
    async goOn(request) {
      refuseNames(request);
      if (request.position === FILE) return { ...nothing, pseudonym: null, next: await cleanFile(request.signal) };
      const place = placeOf(request.position);
      const person = await personOf(request);
      const names = createForgetter(person, person.pseudonym);
      const isFirst = request.position === undefined;
      const first = isFirst ? { names: person.words, remains: await remainingIn(parts.objects(), names) } : {};
      const progress = await work({ ...request, person }, place);
      return { ...nothing, ...first, ...progress, pseudonym: request.isDryRun ? null : person.pseudonym };
    },
  };

  async function personOf(request: ForgettingRequest): Promise<Work['person']> {
    const pseudonym = parts.newPseudonym();
    if (!request.isDryRun) return forgetting.begin(request, pseudonym);
    return { ...(await forgetting.namesOf(request)), pseudonym };
  }

  async function cleanFile(signal: AbortSignal): Promise<string | null> {
    if (await forgetting.cleanFile()) return null;
    await pause(clock, LOOK_EVERY_MS, signal);
    return FILE;
  }

  async function work(asked: Work, from: ForgettingPlace): Promise<ForgottenCounts & Pick<ForgettingProgress, 'next'>> {
    const counts = { entries: 0, versions: 0, events: 0 };
    const until = clock.now() + WORK_MS;
    let place: ForgettingPlace | undefined = from;
    do {
      const { phase }: ForgettingPlace = place;
      const { next, found } = await stepAt(asked, place);
      if (isCounted(phase)) counts[phase] += found;
      place = next;
    } while (place !== undefined && clock.now() < until);
    if (place !== undefined) return { ...counts, next: `${place.phase}:${place.from}` };
    return { ...counts, next: asked.isDryRun ? null : FILE };
  }

  async function stepAt(
    asked: Work,
    { phase, from }: ForgettingPlace,
  ): Promise<{ readonly next: ForgettingPlace | undefined; readonly found: number }> {
    asked.signal.throwIfAborted();
    const { next, found } = await steps[phase](asked, from);
    return { found, next: next === undefined ? beginningAfter(phase) : { phase, from: next } };
  }
}

function isCounted(phase: Phase): phase is Phase & keyof ForgottenCounts {
  return phase in nothing;
}

function beginningAfter(phase: Phase): ForgettingPlace | undefined {
  const next = phases[phases.indexOf(phase) + 1];
  return next && { phase: next, from: '' };
}

function refuseNames({ user, emails }: WantedPerson): void {
  for (const name of [user, ...emails]) {
    const reason = refusalToForget(name);
    if (reason !== undefined) throw new Refusal('invalid', `"${name}" cannot be forgotten: ${reason}`);
  }
}

function placeOf(position: string | undefined): ForgettingPlace {
  if (position === undefined) return { phase: phases[0], from: '' };
  const end = position.indexOf(':');
  const phase = phases.find((one) => one === position.slice(0, end));
  if (phase === undefined || !startOf[phase].test(position.slice(end + 1)))
    throw new Refusal('invalid', `position "${truncate(position, 100)}" is not the next of an answer`);
  return { phase, from: position.slice(end + 1) };
}
