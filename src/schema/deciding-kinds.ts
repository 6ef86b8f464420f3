/** The kinds that decide about flags: the history keeps each version of their objects. */
import { environment } from './environment.ts';
import { featureFlag } from './feature-flag.ts';
import { project } from './project.ts';
import { segment } from './segment.ts';
import { strategyDefinition } from './strategy-definition.ts';

/** The plurals of the kinds. */
export const decidingKinds: readonly string[] = [featureFlag, project, environment, strategyDefinition, segment].map(
  ({ plural }) => plural,
);

/** Whether objects of the kind decide about flags. */
export function decides(resource: string): boolean {
  return decidingKinds.includes(resource);
}
