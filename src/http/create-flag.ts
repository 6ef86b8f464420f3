/** Creates a flag under a wire name that no other flag of the instance has. */
import { isArchived } from '../domain/flag-values.ts';
import { compareText, objectNamesFor, wireNameOf } from '../domain/names.ts';
import { matchesNaming } from '../domain/naming-pattern.ts';
import { AppError } from '../errors.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import { createUnderFreeName } from './create-under-free-name.ts';
import type { Services } from './route.ts';

export interface NewFlag {
  readonly project: Project;
  readonly wireName: string;
  /** Everything but name and project. */
  readonly spec: FlagSpec;
  readonly dryRun: boolean;
}

/** Refuses a name that the project's naming pattern refuses, or that a flag has, archived ones included. */
export function checkNewName(
  { catalog }: Services,
  { project, wireName }: Pick<NewFlag, 'project' | 'wireName'>,
): void {
  const taken = catalog.flag(wireName);
  if (taken) throw nameTaken(taken);
  const naming = project.spec.flagNaming;
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
  const { object, isNew } = await createUnderFreeName(services.flags, { namespace, wireName, spec, dryRun });
  if (!isNew) throw nameTaken(object);
  if (services.severalNamespaces && !dryRun) await yieldToOthers(services, object);
  return object;
}

/**
 * Two creates of one wire name in two namespaces do not meet in AlreadyExists. So each looks for the other after
 * creating, and stays only if every other is younger for certain; creation times are whole seconds, so two of one second
 * may both give way, but never do both stay.
 */
async function yieldToOthers({ catalog, flags }: Services, created: FeatureFlag): Promise<void> {
  const { uid, creationTimestamp } = created.metadata;
  const wireName = wireNameOf(created);
  const namesakes = await Promise.all(
    objectNamesFor(wireName).map((name) => flags.listLive({ fieldSelector: `metadata.name=${name}` })),
  );
  const known = catalog.flag(wireName);
  const rival = [...namesakes.flat(), ...(known ? [known] : [])].find(
    (other) =>
      wireNameOf(other) === wireName &&
      other.metadata.uid !== uid &&
      compareText(other.metadata.creationTimestamp, creationTimestamp) <= 0,
  );
  if (!rival) return;
  await flags.takeBack(created);
  throw nameTaken(rival);
}

function nameTaken(flag: FeatureFlag): AppError {
  const what = isArchived(flag) ? 'An archived flag' : 'A flag';
  const way = isArchived(flag) ? ' Revive it, delete it for good, or choose another name.' : ' Choose another name.';
  return new AppError('name-taken', `${what} with the name "${wireNameOf(flag)}" already exists.${way}`);
}
