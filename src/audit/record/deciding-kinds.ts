/** The kinds whose versions are kept: those that decide about flags. */
import { environment } from '../../schema/environment.ts';
import { featureFlag } from '../../schema/feature-flag.ts';
import { project } from '../../schema/project.ts';
import { segment } from '../../schema/segment.ts';
import { strategyDefinition } from '../../schema/strategy-definition.ts';

const deciding = new Set([featureFlag, project, environment, strategyDefinition, segment].map(({ plural }) => plural));

/** Whether objects of the kind decide about flags. */
export function decides(resource: string): boolean {
  return deciding.has(resource);
}
