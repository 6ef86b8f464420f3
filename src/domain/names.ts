/** Names of objects: what they are called on the wire, who holds a name, how new objects are called. */
import { createHash } from 'node:crypto';
import type { ObjectMetadata } from '../schema/object.ts';

export interface Named {
  readonly metadata: ObjectMetadata;
  /** The name of a user is its username. */
  readonly spec: { readonly name?: string | undefined; readonly username?: string | undefined };
}

export function wireNameOf({ metadata, spec }: Named): string {
  return spec.name ?? spec.username ?? metadata.name;
}

/** Orders by text, code unit by code unit: the same everywhere, whatever the locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Older first; created in the same second: the smaller namespace and name first. */
export function compareAge(a: Named, b: Named): number {
  return (
    compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compareText(a.metadata.namespace, b.metadata.namespace) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

/** Of objects with one wire name, the one that holds it: the oldest, of those in the namespace that the name belongs to if that is known. */
export function holderOf<T extends Named>(objects: readonly T[], namespace?: string): T | undefined {
  return objects.reduce<T | undefined>((oldest, next) => {
    if (namespace !== undefined && next.metadata.namespace !== namespace) return oldest;
    return oldest && compareAge(oldest, next) <= 0 ? oldest : next;
  }, undefined);
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LOOKS_HASHED = /-[0-9a-f]{10}$/;

/**
 * What an object that the API creates may be called, best first: the wire name itself where Kubernetes takes it,
 * then a slug with 10 hex digits of the SHA-256 of the wire name. The same wire name gives the same names, so two
 * creates at once meet in AlreadyExists.
 */
export function objectNamesFor(wireName: string): readonly string[] {
  const slug = wireName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const digits = createHash('sha256').update(wireName).digest('hex').slice(0, 10);
  const hashed = `${slug || 'x'}-${digits}`;
  return OBJECT_NAME.test(wireName) && !LOOKS_HASHED.test(wireName) ? [wireName, hashed] : [hashed];
}
