/** Objects as YAML for Git: the same bytes for the same content. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { compareText } from '../../domain/identity/names.ts';
import { isRecord } from '../../model/json.ts';
import { API_VERSION } from '../../model/kind.ts';
import type { AnyObject } from '../../model/object.ts';
import { yamlPieces } from '../../model/yaml/yaml-pieces.ts';
import { type FeatureFlag, featureFlag } from '../../schema/feature-flag.ts';

export const ownedParam = z.enum(['all', 'people', 'git']).optional().meta({
  description:
    'The fields of a manifest. `git`: the fields that a GitOps tool owns. `people`: all other fields. `all` or absent: both.',
});
export type Owned = z.infer<typeof ownedParam>;

const MAX_BLOCK_DEPTH = 16;

/** Several manifests become documents of one stream. */
export function manifestText(manifests: readonly object[]): string {
  return [...manifestPieces(manifests)].join('');
}

/** The same text, in pieces that are made one after the other. */
export function* manifestPieces(manifests: readonly object[]): Generator<string, void> {
  let before = '';
  for (const manifest of manifests) {
    if (before !== '') yield before;
    yield* yamlPieces(inOrder(manifest), { maxBlockDepth: MAX_BLOCK_DEPTH });
    before = '---\n';
  }
}

/** A digest of what manifests say: it differs whenever their texts do. */
export function manifestDigest(manifests: readonly object[]): string {
  return hash('sha1', JSON.stringify(inOrder(manifests)), 'base64url');
}

/** Contains only name and namespace of the metadata. */
export function objectManifest(
  kind: string,
  { metadata: { name, namespace }, spec }: Pick<AnyObject, 'metadata' | 'spec'>,
): object {
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec };
}

/** The manifest of a flag, or of a part of it. */
export function flagManifest({ metadata }: Pick<FeatureFlag, 'metadata'>, spec: unknown): object {
  return objectManifest(featureFlag.kind, { metadata, spec });
}

/** Members that are sets: the API server may keep their entries in any order. */
const SETS: readonly string[] = ['tags', 'segments'];
/** Values below these members are free-form: the order of any list may matter. */
const FREE_FORM: readonly string[] = ['parameters'];
const FIRST: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** Sorts members by name, as kubectl does, and the entries of sets. */
function inOrder(value: unknown, isFree = false): unknown {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, isFree));
  if (!isRecord(value)) return value;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => rank(one) - rank(other) || compareText(one, other))
    .map(([key, member]) => {
      const isSet = !isFree && SETS.includes(key) && Array.isArray(member);
      return [key, isSet ? member.toSorted() : inOrder(member, isFree || FREE_FORM.includes(key))];
    });
  return Object.fromEntries(members);
}

function rank(key: string): number {
  const place = FIRST.indexOf(key);
  return place < 0 ? FIRST.length : place;
}
