/** The conflicts that prevent an import from overwriting an existing flag. */
import { Refusal } from '../../errors.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { isArchived, projectIdOf } from '../flag/flag-values.ts';
import { defectText } from '../judgement/defects.ts';
import type { FlagImport } from './state-flag.ts';

export interface Meeting extends FlagImport {
  /** The namespace of the project that the document names; undefined if there is no such project. */
  readonly namespace: string | undefined;
}

/** Refuses the import if the present flag with the name can never become the wanted one. */
export function refuseUnlikeFlag(flag: FeatureFlag, { wanted, replace, namespace }: Meeting): void {
  const { name, project, at } = wanted;
  const refuse = (why: string): never => {
    const message = `Cannot overwrite the flag "${name}": ${why}`;
    throw new Refusal('name-taken', message, { details: [{ part: 'document', keys: [...at, 'name'], message }] });
  };
  const present = projectIdOf(flag);
  if (present !== project) {
    refuse(`it is in project "${present}", and not in "${project}". Delete it first, or name its project.`);
  }
  if (namespace !== undefined && namespace !== flag.metadata.namespace) {
    refuse(`it is in another namespace than the project "${project}". Delete it first.`);
  }
  if (isArchived(flag) && !wanted.archived && !replace) {
    refuse('it is archived. Revive it, delete it for good, or leave it as it is with keep=true.');
  }
  const [defect] = flag.defects;
  if (defect) refuse(`${defectText(defect)} Fix it with kubectl first.`);
}
