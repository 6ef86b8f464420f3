/** Names of objects: wire names, their owners, object names for wire names. */
import { hash } from 'node:crypto';
import type { ObjectMetadata } from '../../model/object.ts';

/** The project of flags that name none. */
export const DEFAULT_PROJECT = 'default';

export interface Named {
  readonly metadata: ObjectMetadata;
  /** The name of a user is its username. */
  readonly spec: { readonly name?: string | undefined; readonly username?: string | undefined };
}

export function wireNameOf({ metadata, spec }: Named): string {
  return spec.name ?? spec.username ?? metadata.name;
}

/** Compares code units, so that the order does not depend on the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const MAX_LISTED = 5;

/** The first names in their order, for messages. */
export function listNames(objects: readonly Named[]): string {
  const names = objects.map(wireNameOf).sort(compareText);
  return names.slice(0, MAX_LISTED).join(', ') + (names.length > MAX_LISTED ? ', …' : '');
}

/** The older object comes first; within the same second, the smaller namespace and name. */
export function compareAge(a: Named, b: Named): number {
  return (
    compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compareText(a.metadata.namespace, b.metadata.namespace) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

/** The owner of a wire name among objects that have it: the oldest, within `namespace` if the name belongs to one. */
export function nameOwnerOf<T extends Named>(objects: readonly T[], namespace?: string): T | undefined {
  return objects.reduce<T | undefined>((oldest, next) => {
    if (namespace !== undefined && next.metadata.namespace !== namespace) return oldest;
    return oldest && compareAge(oldest, next) <= 0 ? oldest : next;
  }, undefined);
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LOOKS_HASHED = /-[0-9a-f]{10}$/;

/**
 * Object names for an object that the API creates, best first: the wire name itself if Kubernetes accepts it, then a
 * slug with 10 hex digits of the SHA-256 of the wire name. The names follow from the wire name, so the second of two
 * concurrent creates fails with AlreadyExists.
 */
export function objectNamesFor(wireName: string): readonly string[] {
  const slug = wireName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const digits = hash('sha256', wireName).slice(0, 10);
  const hashed = `${slug || 'x'}-${digits}`;
  return OBJECT_NAME.test(wireName) && !LOOKS_HASHED.test(wireName) ? [wireName, hashed] : [hashed];
}
