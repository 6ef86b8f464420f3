/** Gives flags the state that they had at a past time, on behalf of a caller. */
import { requirePermissions } from '../access/authorization/require-permissions.ts';
import { toFlag, toNewFlag } from '../access/authorization/requirements.ts';
import { type FlagPath, findProject } from '../catalog/find.ts';
import { refuseParent } from '../domain/flag/dependencies.ts';
import type { SpecWrite } from '../domain/flag/edit/environments-touched.ts';
import { permissionsToChange } from '../domain/flag/edit/permissions-to-change.ts';
import { isArchived, projectIdOf } from '../domain/flag/flag-values.ts';
import { wireNameOf } from '../domain/identity/names.ts';
import { placeOfDefect } from '../domain/judgement/defects.ts';
import { Refusal } from '../errors.ts';
import { type FieldChange, fieldChanges } from '../kube/object/field-changes.ts';
import { isSameSpec } from '../kube/write/merge-spec.ts';
import type { FeatureFlag, FlagSpec } from '../schema/feature-flag.ts';
import { createFlag } from './create-flag.ts';
import type { Services } from './services.ts';

export interface RestoredFlag {
  readonly name: string;
  readonly action: 'create' | 'change' | 'none';
  readonly changes: readonly FieldChange[];
}

export interface FlagToRestore {
  /** The flag as it was. */
  readonly was: FeatureFlag;
  /** The flag that has the name now, in the same project. */
  readonly present: FeatureFlag | undefined;
}

interface RestoreOptions {
  readonly dryRun: boolean;
  /** As that of a change. */
  readonly expect?: (flag: FeatureFlag) => void;
}

/** `services` are those of the present. */
export async function restoreFlag(
  services: Services,
  { was, present }: FlagToRestore,
  options: RestoreOptions,
): Promise<RestoredFlag> {
  const name = wireNameOf(was);
  refuseUnreadable(was);
  if (!present) {
    const created = await createAgain(services, was, options);
    return { name, action: 'create', changes: fieldChanges(undefined, { spec: created.spec }) };
  }
  let before = present.rawSpec;
  const edit = (flag: FeatureFlag): FlagSpec => {
    before = flag.rawSpec;
    if (flag.metadata.uid !== present.metadata.uid)
      throw new Refusal('conflict', `The flag "${name}" was deleted and made again meanwhile. Try again.`);
    if (isArchived(was) && !isArchived(flag)) refuseParent(flag, services.catalog.childrenOf(flag));
    return specOf(was, flag);
  };
  const path = { projectId: projectIdOf(present), featureName: name };
  const changed = await services.flags.change(present.metadata, edit, {
    ...options,
    admit: ({ object, next }) => requireParts(services, path, { before: object.spec, after: next }),
  });
  const changes = fieldChanges({ spec: before }, { spec: changed.rawSpec });
  return { name, action: changes.length > 0 ? 'change' : 'none', changes };
}

/** Whether a restore would change nothing. */
export function isAsItWas({ was, present }: FlagToRestore): boolean {
  return present !== undefined && isSameSpec(present.spec, specOf(was, present));
}

/** The name and the project never change, also in the way that they are written. */
function specOf(was: FeatureFlag, { spec: { name, project } }: FeatureFlag): FlagSpec {
  const { name: _, project: __, ...spec } = was.spec;
  return { ...(project !== undefined && { project }), ...(name !== undefined && { name }), ...spec };
}

async function createAgain(services: Services, was: FeatureFlag, { dryRun }: RestoreOptions): Promise<FeatureFlag> {
  const path = { projectId: projectIdOf(was), featureName: wireNameOf(was) };
  const { project } = findProject(services.catalog, path.projectId);
  await requirePermissions(services.caller, [toNewFlag('CREATE_FEATURE').of(services, path)]);
  await requireParts(services, path, { after: was.spec });
  return createFlag(services, {
    ...{ project, wireName: path.featureName, spec: was.spec, dryRun },
    formerName: was.metadata.name,
  });
}

/** A restore is all the changes that lead to it: each needs its permission. */
function requireParts(services: Services, path: FlagPath, write: SpecWrite<FlagSpec>): Promise<void> {
  const requires = permissionsToChange(write).map(({ permission, environment }) =>
    toFlag('patch', permission).of(services, { ...path, ...(environment !== undefined && { environment }) }),
  );
  return requirePermissions(services.caller, requires);
}

function refuseUnreadable(was: FeatureFlag): void {
  const [defect] = was.defects;
  if (!defect) return;
  const message = `The flag "${wireNameOf(was)}" had a part that Vexil cannot read, so it cannot be restored: ${placeOfDefect(defect)}.`;
  throw new Refusal('invalid-operation', message);
}
