/** Creates a flag under a wire name that no other flag of the instance has. */
import { isArchived } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import { matchesNaming } from '../domain/naming-pattern.ts';
import { AppError } from '../errors.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './route.ts';
import { yieldToOthers } from './yield-to-others.ts';

export interface NewFlag {
  readonly project: Project;
  readonly wireName: string;
  /** Everything but name and project. */
  readonly spec: FlagSpec;
  readonly dryRun: boolean;
}

interface NewName {
  /** Undefined: whichever project. */
  readonly project: Project | undefined;
  readonly wireName: string;
}

/** Refuses a name that the project's naming pattern refuses, or that a flag has, archived ones included. */
export function checkNewName({ catalog }: Services, { project, wireName }: NewName): void {
  const taken = catalog.flag(wireName);
  if (taken) throw nameTaken(taken);
  const claim = catalog.flagClaim(wireName);
  if (project && claim && claim.namespace !== project.metadata.namespace) throw nameReserved(wireName);
  const naming = project?.spec.flagNaming;
  if (!naming || matchesNaming(naming.pattern, wireName) !== false) return;
  const hint = naming.example ? ` For example: ${naming.example}.` : '';
  const message = `The flag name "${wireName}" does not match the naming pattern ${naming.pattern} of the project.${hint}`;
  throw new AppError('pattern-mismatch', message, { details: [{ path: '/body/name', message }] });
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
    const known = services.catalog.flag(wireName);
    const claim = () => services.catalog.flagClaim(wireName);
    const yielded = await yieldToOthers(services.flags, { created: object, known, claim });
    if (yielded) throw yielded.to ? nameTaken(yielded.to) : nameReserved(wireName);
  }
  return object;
}

/** Nothing is said of the namespace: the caller may not know that it is there. */
function nameReserved(wireName: string): AppError {
  const message = `The flag name "${wireName}" was used in another namespace and is still reserved there. Choose another name.`;
  return new AppError('name-taken', message);
}

function nameTaken(flag: FeatureFlag): AppError {
  const what = isArchived(flag) ? 'An archived flag' : 'A flag';
  const way = isArchived(flag) ? ' Revive it, delete it for good, or choose another name.' : ' Choose another name.';
  return new AppError('name-taken', `${what} with the name "${wireNameOf(flag)}" already exists.${way}`);
}
