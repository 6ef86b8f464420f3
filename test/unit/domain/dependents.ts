/** The context of flags in tests: a project `shop` with environments by name. */

import { environmentsOfProject, type FlagContext } from '../../../src/domain/flag/flag-context.ts';
import { wireNameOf } from '../../../src/domain/identity/names.ts';
import { strategyTypesOf } from '../../../src/domain/strategy-type/strategy-types.ts';
import type { Project } from '../../../src/schema/project.ts';
import type { StrategyDefinition } from '../../../src/schema/strategy-definition.ts';
import { environmentObject, projectObject } from './objects.ts';

/** The instance has the environments `development` and `production`. It has no project if that is null. */
export function dependents(
  project: Project | null = projectObject('home/shop'),
  definitions: readonly StrategyDefinition[] = [],
): FlagContext {
  const every = new Map(
    [
      environmentObject('home/production', { sortOrder: 2 }),
      environmentObject('home/development', { sortOrder: 1 }),
    ].map((one) => [wireNameOf(one), one]),
  );
  return {
    project: project ?? undefined,
    environments: project ? environmentsOfProject(project, every) : [],
    everyEnvironment: every,
    strategyTypes: strategyTypesOf(definitions),
  };
}
