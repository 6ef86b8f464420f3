/** Flags that production still asks for, when they are removed. */
import { Refusal } from '../../errors.ts';
import type { Project } from '../../schema/project.ts';
import { wireNameOf } from '../identity/names.ts';
import { type FlagInUse, productionOf, RECENT_MS } from './flag-in-use.ts';

export interface AskedFor {
  /** The wire name of the flag. */
  readonly name: string;
  readonly project: Project | undefined;
  /** The environments of type production in which the flag was requested in the last 24 hours. */
  readonly environments: readonly string[];
  /** Undefined if they are not known at the moment. */
  readonly applications: readonly string[] | undefined;
}

const MAX_NAMED = 20;

/**
 * The environments of type production in which the flag was requested in the last 24 hours; `now` is in ms since 1970.
 */
export function askedInProduction({ environments, usage }: FlagInUse, now: number): readonly string[] {
  const production = productionOf(environments);
  return usage
    .filter(({ environment, lastAt }) => production.has(environment) && now - lastAt < RECENT_MS)
    .map(({ environment }) => environment);
}

/** The refusal by the projects that refuse the removal; undefined if none does. */
export function refusalOfRemoval(asked: readonly AskedFor[]): Refusal | undefined {
  const refused = asked.filter(({ project }) => project?.spec.usedFlags === 'Refuse');
  if (refused.length === 0) return undefined;
  const details = refused.slice(0, MAX_NAMED).map((one) => {
    const place = one.project ? ` The project "${wireNameOf(one.project)}" refuses its removal.` : '';
    return { message: `${askedSentence(one)}${place}` };
  });
  const reasons = details.map(({ message }) => message);
  const message = `${reasons.join(' ')} Remove it from the applications first, or send force=true.`;
  return new Refusal('still-asked-for', message, { details });
}

export function askedSentence({ name, environments, applications }: Omit<AskedFor, 'project'>): string {
  const named = applications?.slice(0, MAX_NAMED).join(', ');
  const more = (applications?.length ?? 0) > MAX_NAMED ? ' and more' : '';
  const who = named ? `${named}${more}` : 'applications that are not known at the moment';
  return `The flag "${name}" was asked for in ${environments.join(', ')} in the last 24 hours by ${who}.`;
}
