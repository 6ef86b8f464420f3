/** Which objects must be judged again when one changes. */
import { type Caches, type Change, changedInSubstance, type NameClaims, noClaims } from '../catalog/cached.ts';
import { projectKey } from '../catalog/indexes.ts';
import { environmentsOf, projectIdOf } from '../domain/flag-values.ts';
import { concerns } from '../domain/name-claims.ts';
import { type Named, wireNameOf } from '../domain/names.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { Project } from '../schema/project.ts';
import type { StrategyDefinition } from '../schema/strategy-definition.ts';
import { wakeByRole, wakeByToken, wakeByUser } from './wake-people.ts';
import { type Queues, versions, wake, wakeLater, withNamesakes } from './waking.ts';

/**
 * Wakes every object now, and later those that a change concerns. Gives back how to stop that.
 *
 * A status alone wakes its object too, so that one that was tampered with is mended. For kinds that count it does so
 * later: woken at once by its own status, a count that keeps moving would be written as fast as it can.
 */
export function wakeOnChanges(caches: Caches, queues: Queues, claims: NameClaims = noClaims): () => void {
  const { flags, projects, environments, users, roles, tokens, strategies } = caches;
  const subscriptions = [
    flags.subscribe((change) => {
      wake(queues.flags, withNamesakes(flags, change));
      wakeCounts(caches, queues, change);
    }),
    projects.subscribe((change) => {
      if (!changedInSubstance(change)) return wakeLater(queues.projects, versions(change));
      wake(queues.projects, withNamesakes(projects, change));
      wakeNeighboursOfProject(caches, queues, change);
    }),
    environments.subscribe((change) => {
      wakeClones(caches, queues, change);
      if (!changedInSubstance(change)) return wakeLater(queues.environments, versions(change));
      wake(queues.environments, withNamesakes(environments, change));
      wakeNeighboursOfEnvironment(caches, queues, versions(change));
    }),
    users.subscribe((change) => wakeByUser(caches, queues, change)),
    roles.subscribe((change) => wakeByRole(caches, queues, change)),
    tokens.subscribe((change) => wakeByToken(caches, queues, change)),
    strategies.subscribe((change) => wakeByStrategy(caches, queues, change)),
    ...wakeByClaims(caches, queues, claims),
  ];
  for (const kind of ['users', 'roles', 'tokens', 'strategies'] as const) wake(queues[kind], caches[kind].all());
  wake(queues.environments, environments.all());
  wake(queues.projects, projects.all());
  wake(queues.flags, flags.all());
  return () => {
    for (const stop of subscriptions) stop();
  };
}

/** A name that belongs to another namespace than before. */
function wakeByClaims(caches: Caches, queues: Queues, claims: NameClaims): readonly (() => void)[] {
  const { flags, projects } = caches;
  return [
    claims.of('featureflags').onClaim((name, change) => {
      const namesakes = flags.by('wireName', name);
      if (!concerns(change, namesakes)) return;
      wake(queues.flags, namesakes);
      for (const after of namesakes) wakeCounts(caches, queues, { after });
    }),
    claims.of('projects').onClaim((id, change) => {
      const namesakes = projects.by('wireName', id);
      if (!concerns(change, namesakes)) return;
      wake(queues.projects, namesakes);
      for (const after of namesakes) wakeNeighboursOfProject(caches, queues, { after });
    }),
  ];
}

/** A flag counts in its project, and in the environments that it names. */
function wakeCounts(caches: Caches, queues: Queues, change: Change<FeatureFlag>): void {
  if (!changedInSubstance(change)) return;
  const flags = withNamesakes(caches.flags, change);
  const projectIds = new Set(flags.map(projectIdOf));
  const names = new Set(flags.flatMap((flag) => environmentsOf(flag).map(([name]) => name)));
  for (const id of projectIds) wakeLater(queues.projects, caches.projects.by('wireName', id));
  for (const name of names) wakeLater(queues.environments, caches.environments.by('wireName', name));
}

function wakeNeighboursOfProject(caches: Caches, queues: Queues, change: Change<Project>): void {
  for (const project of versions(change)) {
    for (const namesake of [project, ...caches.projects.by('wireName', wireNameOf(project))]) {
      const { namespace } = namesake.metadata;
      wake(queues.flags, caches.flags.by('project', projectKey(namespace, wireNameOf(project))));
    }
  }
  for (const id of new Set(versions(change).map(wireNameOf))) wake(queues.tokens, caches.tokens.by('project', id));
  wakeLater(queues.environments, caches.environments.all());
}

/** Those that wait to be made a copy of it. */
function wakeClones(caches: Caches, queues: Queues, change: Change<Environment>): void {
  const { before, after } = change;
  if (!changedInSubstance(change) && before?.status?.clone?.phase === after?.status?.clone?.phase) return;
  const names = new Set(versions(change).map(wireNameOf));
  const clones = [...caches.environments.all()].filter(({ spec }) => spec.clone && names.has(spec.clone.from));
  wake(queues.environments, clones);
}

/** Environments are few and change rarely, so every project looks again: any may use all that are enabled. */
function wakeNeighboursOfEnvironment(caches: Caches, queues: Queues, changed: readonly Named[]): void {
  for (const name of new Set(changed.map(wireNameOf))) {
    wake(queues.flags, caches.flags.by('environment', name));
    wake(queues.roles, caches.roles.by('environment', name));
    wake(queues.tokens, caches.tokens.by('environment', name));
  }
  wakeLater(queues.projects, caches.projects.all());
}

/** A type that comes or goes switches flags on or off, which environments count. */
function wakeByStrategy(
  { flags, environments, strategies }: Caches,
  queues: Queues,
  change: Change<StrategyDefinition>,
): void {
  wake(queues.strategies, versions(change));
  if (!changedInSubstance(change)) return;
  for (const namesake of withNamesakes(strategies, change)) {
    wake(queues.strategies, [namesake]);
    wake(queues.flags, flags.by('strategyType', wireNameOf(namesake)));
  }
  wakeLater(queues.environments, environments.all());
}
