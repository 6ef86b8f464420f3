/** What else a flag is judged by: its project and the environments there are. */
import type { Environment } from '../schema/environment.ts';
import type { Project } from '../schema/project.ts';
import { compareAge, compareText, wireNameOf } from './names.ts';

export interface Surroundings {
  /** The project in the namespace of the flag, if it exists and holds its name. */
  readonly project: Project | undefined;
  /** The namespace of the project with that id, if it is another than the flag's. */
  readonly projectElsewhere?: string | undefined;
  /** The environments of the project, in their order. */
  readonly environments: readonly Environment[];
  /** Every environment of the instance, by wire name. */
  readonly everyEnvironment: ReadonlyMap<string, Environment>;
  /** Names of the strategy types that can be used. */
  readonly strategyTypes: ReadonlySet<string>;
}

/** The types that every server knows (facts §10). */
export const builtInStrategyTypes: ReadonlySet<string> = new Set([
  'default',
  'flexibleRollout',
  'userWithId',
  'remoteAddress',
  'applicationHostname',
]);

/** For messages. */
export function listStrategyTypes({ strategyTypes }: Pick<Surroundings, 'strategyTypes'>): string {
  return [...strategyTypes].sort().join(', ');
}

/** Place of an environment that names none: last. */
export const LAST = 9999;

/** By sortOrder, then age, then name. */
export function inOrder(environments: Iterable<Environment>): readonly Environment[] {
  return [...environments].sort(
    (a, b) =>
      (a.spec.sortOrder ?? LAST) - (b.spec.sortOrder ?? LAST) ||
      compareAge(a, b) ||
      compareText(wireNameOf(a), wireNameOf(b)),
  );
}

/** The environments that a project uses: those it lists, else all that are enabled. */
export function environmentsOfProject(
  project: Project,
  every: ReadonlyMap<string, Environment>,
): readonly Environment[] {
  const listed = project.spec.environments;
  const used = listed
    ? listed.flatMap((name) => every.get(name) ?? [])
    : [...every.values()].filter(({ spec }) => spec.enabled !== false);
  return inOrder(used);
}
