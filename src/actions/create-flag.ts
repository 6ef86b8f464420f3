/** Creates a flag under a wire name that no other flag of the instance has. */
import { isArchived } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { matchesNaming } from '../domain/identity/naming-pattern.ts';
import { Refusal } from '../errors.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import { resolveNameRace } from './resolve-name-race.ts';
import type { Services } from './services.ts';

export interface NewFlag {
  readonly project: Project;
  readonly wireName: string;
  /** Without name and project. */
  readonly spec: FlagSpec;
  readonly dryRun: boolean;
}

interface NewName {
  /** Undefined: the project does not matter. */
  readonly project: Project | undefined;
  readonly wireName: string;
}

/** Refuses a name that does not match the project's naming pattern, or that a flag has, archived ones included. */
export function checkNewName({ catalog }: Services, { project, wireName }: NewName): void {
  const taken = catalog.flag(wireName);
  if (taken) throw nameTaken(taken);
  const claim = catalog.flagClaim(wireName);
  if (project && claim && claim.namespace !== project.metadata.namespace) throw nameReserved(wireName);
  const naming = project?.spec.flagNaming;
  if (!naming || matchesNaming(naming.pattern, wireName) !== false) return;
  const hint = naming.example ? ` For example: ${naming.example}.` : '';
  const message = `The flag name "${wireName}" does not match the naming pattern ${naming.pattern} of the project.${hint}`;
  throw new Refusal('pattern-mismatch', message, { details: [{ part: 'body', keys: ['name'], message }] });
}

export async function createFlag(services: Services, wanted: NewFlag): Promise<FeatureFlag> {
  checkNewName(services, wanted);
  const { project, wireName, dryRun } = wanted;
  const { namespace } = project.metadata;
  const spec = { project: wireNameOf(project), ...wanted.spec };
  const isClaimed = services.catalog.flagClaim(wireName) !== undefined;
  const { object, isNew } = await createUnderFreeName(services.flags, { namespace, wireName, spec, dryRun });
  if (!isNew) throw nameTaken(object);
  if (services.severalNamespaces && !isClaimed && !dryRun) {
    const cached = services.catalog.flag(wireName);
    const claim = () => services.catalog.flagClaim(wireName);
    const yielded = await resolveNameRace(services.flags, { created: object, cached, claim });
    if (yielded) throw yielded.to ? nameTaken(yielded.to) : nameReserved(wireName);
  }
  return object;
}

/** The message does not name the namespace, which the caller may not be allowed to see. */
function nameReserved(wireName: string): Refusal {
  const message = `The flag name "${wireName}" was used in another namespace and is still reserved there. Choose another name.`;
  return new Refusal('name-taken', message);
}

function nameTaken(flag: FeatureFlag): Refusal {
  const subject = isArchived(flag) ? 'An archived flag' : 'A flag';
  const advice = isArchived(flag) ? ' Revive it, delete it for good, or choose another name.' : ' Choose another name.';
  return new Refusal('name-taken', `${subject} with the name "${wireNameOf(flag)}" already exists.${advice}`);
}
