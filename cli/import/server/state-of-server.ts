/** The flags of a running Unleash as a state document, the form of its former exports. */
import type { ReadFlag } from './journal.ts';
import type { ReadProject, ReadServer } from './read-server.ts';
import type { ArchivedFlag, WireFlag } from './shapes.ts';

type Row = Readonly<Record<string, unknown>>;

/** Only sections that the reader of exports knows; the order of strategies is that of the server. */
export function stateOfServer(server: ReadServer): Record<string, unknown> {
  const { environments, projects, flags, archived, segments, types } = server;
  return {
    version: 4,
    features: [...flags.map(featureOf), ...archived.map(archivedFeature)],
    featureEnvironments: flags.flatMap(placesOf),
    featureStrategies: flags.flatMap(strategiesOf),
    featureTags: flags.flatMap(({ flag, tags }) =>
      tags.map(({ type, value }) => ({ featureName: flag.name, tagType: type, tagValue: value })),
    ),
    environments: environments.map(environmentOf),
    projects: projects.map(projectOf),
    segments: segments.map(segmentOf),
    strategies: types,
  };
}

function featureOf({ project, flag }: ReadFlag): Row {
  const { name, type, description, stale, impressionData, dependencies } = flag;
  return { name, project, type, description, stale, impressionData, dependencies: dependencies ?? [] };
}

/** Unleash does not say the configuration of an archived flag. */
function archivedFeature({ name, project, type, description, stale, impressionData }: ArchivedFlag): Row {
  return { name, project: project ?? 'default', type, description, stale, impressionData, archived: true };
}

type ServerEnvironment = WireFlag['environments'][number];

function placesOf({ flag }: ReadFlag): readonly Row[] {
  return flag.environments.map(({ name, enabled, variants }) => {
    // Before version 4.21, variants are those of the flag.
    return { featureName: flag.name, environment: name, enabled, variants: variants ?? flag.variants ?? [] };
  });
}

function strategiesOf({ flag }: ReadFlag): readonly Row[] {
  return flag.environments.flatMap((place) =>
    inOrder(place).map(({ name, sortOrder: _, ...strategy }, sortOrder) => {
      return { ...strategy, featureName: flag.name, environment: place.name, strategyName: name, sortOrder };
    }),
  );
}

/** The server lists strategies in the order in which it serves them, unless it numbers them. */
function inOrder({ strategies }: ServerEnvironment): ServerEnvironment['strategies'] {
  return strategies.toSorted((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
}

function environmentOf({ name, type, sortOrder, enabled, protected: isProtected }: Row): Row {
  return { name, type, sortOrder, enabled, protected: isProtected };
}

function projectOf({ id, name, description, defaultStickiness, environments }: ReadProject): Row {
  return { id, name, description, defaultStickiness, environments };
}

function segmentOf({ id, name, description, constraints, project }: Row): Row {
  return { id, name, description, constraints, project };
}
