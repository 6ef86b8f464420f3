/** Warns of the removal of flags that production still asks for, or refuses it. */
import { wireNameOf } from '../../../domain/identity/names.ts';
import { RECENT_MS } from '../../../domain/usage/flag-in-use.ts';
import { type AskedFor, askedInProduction, refusalOfRemoval } from '../../../domain/usage/removal.ts';
import { isRefusal } from '../../../errors.ts';
import type { FeatureFlag } from '../../../schema/feature-flag.ts';
import type { RouteServices } from '../../route/route.ts';

/** Throws the refusal of the project unless forced; otherwise the answer gets a Warning. */
export async function checkRemoval(services: RouteServices, flags: readonly FeatureFlag[]): Promise<void> {
  const { force, notes } = services;
  const asked = await askedForAmong(services, flags);
  const refusal = force.isForced ? undefined : refusalOfRemoval(asked);
  if (refusal) throw refusal;
  notes.noteAsked(asked);
}

/** The flags that production asked for in the last 24 hours. */
export async function askedForAmong(
  services: RouteServices,
  flags: readonly FeatureFlag[],
): Promise<readonly AskedFor[]> {
  const { catalog, usage, now } = services;
  const used = flags.flatMap((flag) => {
    const environments = askedInProduction(usage.lookups.of(flag), now());
    return environments.length > 0 ? [{ flag, environments }] : [];
  });
  if (used.length === 0) return [];
  const applications = await applicationsOf(
    services,
    used.map(({ flag }) => flag),
  );
  return used.map(
    ({ flag, environments }): AskedFor => ({
      name: wireNameOf(flag),
      project: catalog.flagContextOf(flag).project,
      environments,
      applications: applications(flag, environments),
    }),
  );
}

type ApplicationsOf = (flag: FeatureFlag, environments: readonly string[]) => readonly string[] | undefined;

/**
 * The applications come from memory if the database cannot be reached, and for archived flags, whose reports are kept
 * separately.
 */
async function applicationsOf({ usage, now }: RouteServices, flags: readonly FeatureFlag[]): Promise<ApplicationsOf> {
  const uids = flags.map(({ metadata }) => metadata.uid);
  const sightings = await usage.reader.applicationsOf(uids, now() - RECENT_MS).catch((error: unknown) => {
    if (isRefusal(error, 'unavailable', 'busy')) return undefined;
    throw error;
  });
  return (flag, environments) => {
    const known = usage.lookups.of(flag).usage.filter(({ environment }) => environments.includes(environment));
    const stored = sightings?.get(flag.metadata.uid)?.filter(({ environment }) => environments.includes(environment));
    const names = [...known.flatMap(({ appNames }) => appNames), ...(stored ?? []).map(({ appName }) => appName)];
    return names.length > 0 ? [...new Set(names)].sort() : undefined;
  };
}
