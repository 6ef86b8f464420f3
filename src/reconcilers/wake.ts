/** Which objects must be judged again when one changes. */
import { type Cached, type Caches, type Change, changedInSubstance } from '../catalog/cached.ts';
import { projectKey } from '../catalog/indexes.ts';
import { environmentsOf, projectIdOf } from '../domain/flag-values.ts';
import { wireNameOf } from '../domain/names.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import { type CustomObject, keyOf } from '../schema/object.ts';
import type { Project } from '../schema/project.ts';

/** The part of a queue that takes keys. */
export interface Wakeable {
  add(key: string): void;
  addAfter(key: string, ms: number): void;
}

export interface Queues {
  readonly flags: Wakeable;
  readonly projects: Wakeable;
  readonly environments: Wakeable;
}

/** A count may lag behind so much; a thousand changes within it are one status write. */
export const COUNTS_SETTLE_MS = 1000;

/**
 * Wakes every object now, and later those that a change concerns. Gives back how to stop that.
 *
 * A status alone wakes its object too, so that one that was tampered with is mended. For kinds that count it does so
 * later: woken at once by its own status, a count that keeps moving would be written as fast as it can.
 */
export function wakeOnChanges(caches: Caches, queues: Queues): () => void {
  const { flags, projects, environments } = caches;
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
      if (!changedInSubstance(change)) return wakeLater(queues.environments, versions(change));
      wake(queues.environments, withNamesakes(environments, change));
      wakeNeighboursOfEnvironment(caches, queues, versions(change));
    }),
  ];
  wake(queues.environments, environments.all());
  wake(queues.projects, projects.all());
  wake(queues.flags, flags.all());
  return () => {
    for (const stop of subscriptions) stop();
  };
}

type Named = CustomObject<{ readonly name?: string | undefined }, unknown>;

function versions<T>({ before, after }: Change<T>): readonly T[] {
  return [before, after].filter((object): object is T & {} => object !== undefined);
}

/** The object, and all that want the same wire name: one of them may hold it now. */
function withNamesakes<T extends Named>(cache: Cached<T>, change: Change<T>): readonly T[] {
  const names = new Set(versions(change).map(wireNameOf));
  return [...versions(change), ...[...names].flatMap((name) => cache.by('wireName', name))];
}

function wake(queue: Wakeable, objects: Iterable<Named>): void {
  for (const { metadata } of objects) queue.add(keyOf(metadata));
}

function wakeLater(queue: Wakeable, objects: Iterable<Named>): void {
  for (const { metadata } of objects) queue.addAfter(keyOf(metadata), COUNTS_SETTLE_MS);
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
  wakeLater(queues.environments, caches.environments.all());
}

/** Environments are few and change rarely, so every project looks again: any may use all that are enabled. */
function wakeNeighboursOfEnvironment(caches: Caches, queues: Queues, changed: readonly Named[]): void {
  for (const name of new Set(changed.map(wireNameOf))) {
    wake(queues.flags, caches.flags.by('environment', name));
  }
  wakeLater(queues.projects, caches.projects.all());
}
