/** The indexes that the caches of the kinds keep. */
import { environmentsOf, projectIdOf } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';

/** Key of the index `project`: a flag's project is one in the flag's own namespace. */
export function projectKey(namespace: string, projectId: string): string {
  return `${namespace}/${projectId}`;
}

export const flagIndexes = {
  wireName: (flag: FeatureFlag) => [wireNameOf(flag)],
  project: (flag: FeatureFlag) => [projectKey(flag.metadata.namespace, projectIdOf(flag))],
  environment: (flag: FeatureFlag) => environmentsOf(flag).map(([name]) => name),
};

export const projectIndexes = {
  wireName: (project: Project) => [wireNameOf(project)],
  environment: (project: Project) => project.spec.environments ?? [],
};

export const environmentIndexes = {
  wireName: (environment: Environment) => [wireNameOf(environment)],
};
