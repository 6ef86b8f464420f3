/** Creates a flag under a wire name that no other flag of the instance has. */
import { isArchived } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { matchesNaming } from '../domain/identity/naming-pattern.ts';
import { Refusal } from '../errors.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import { refusalOfReservedName, refusalOfTakenName } from './name-refusals.ts';
import { resolveNameRace } from './resolve-name-race.ts';
import type { Services } from './services.ts';

export interface NewFlag {
  readonly project: Project;
  readonly wireName: string;
  /** The spec without name and project. */
  readonly spec: FlagSpec;
  readonly dryRun: boolean;
  /** The object name that an earlier flag of this name had. */
  readonly formerName?: string;
}

interface NewName {
  /** Undefined: the project does not matter. */
  readonly project: Project | undefined;
  readonly wireName: string;
}

/** Refuses a name that does not match the project's naming pattern, or that a flag has, archived ones included. */
export function checkNewName({ catalog }: Services, { project, wireName }: NewName): void {
  const taken = catalog.flag(wireName);
  if (taken) throw flagExists(taken);
  const claim = catalog.flagClaim(wireName);
  if (project && claim && claim.namespace !== project.metadata.namespace)
    throw refusalOfReservedName('flag name', wireName);
  const naming = project?.spec.flagNaming;
  if (!naming || matchesNaming(naming.pattern, wireName) !== false) return;
  const hint = naming.example ? ` For example: ${naming.example}.` : '';
  const message = `The flag name "${wireName}" does not match the naming pattern ${naming.pattern} of the project.${hint}`;
  throw new Refusal('pattern-mismatch', message, { details: [{ part: 'body', keys: ['name'], message }] });
}

export async function createFlag(services: Services, wanted: NewFlag): Promise<FeatureFlag> {
  checkNewName(services, wanted);
  const { project, wireName, dryRun, formerName } = wanted;
  const { namespace } = project.metadata;
  const spec = { project: wireNameOf(project), ...wanted.spec };
  const isClaimed = services.catalog.flagClaim(wireName) !== undefined;
  const { object, isNew } = await createUnderFreeName(services.flags, {
    ...{ namespace, wireName, spec, dryRun, formerName },
  });
  if (!isNew) throw flagExists(object);
  if (services.severalNamespaces && !isClaimed && !dryRun) {
    const cached = services.catalog.flag(wireName);
    const claim = () => services.catalog.flagClaim(wireName);
    const yielded = await resolveNameRace(services.flags, { created: object, cached, claim });
    if (yielded) throw yielded.to ? flagExists(yielded.to) : refusalOfReservedName('flag name', wireName);
  }
  return object;
}

function flagExists(flag: FeatureFlag): Refusal {
  const name = wireNameOf(flag);
  if (!isArchived(flag)) return refusalOfTakenName({ subject: 'A flag', name });
  return refusalOfTakenName({
    subject: 'An archived flag',
    name,
    advice: 'Revive it, delete it for good, or choose another',
  });
}
