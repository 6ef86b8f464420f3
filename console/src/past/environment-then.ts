/** An environment of a past time. */
import type { Schemas } from '../api.generated.ts';

/**
 * An environment under its present name for people. Protection and freezes of now say nothing of then, so it has none.
 */
export function environmentThen(name: string, present: readonly Schemas['ProjectEnvironment'][]): EnvironmentThen {
  const displayName = present.find((one) => one.name === name)?.displayName ?? name;
  return { name, displayName, protected: false, freeze: null };
}

/** What the parts of a page need of an environment. */
export type EnvironmentThen = Pick<Schemas['ProjectEnvironment'], 'name' | 'displayName' | 'protected' | 'freeze'>;
