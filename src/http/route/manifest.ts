/** Objects as manifests for Git. */

import type { WrittenObject } from '../../actions/services.ts';
import { placeOfDefect } from '../../domain/judgement/defects.ts';
import type { FieldWithOwners } from '../../model/field-owner.ts';
import { withoutNulls } from '../../model/without-nulls.ts';
import { type FeatureFlag, featureFlag } from '../../schema/feature-flag.ts';
import { flagManifest, manifestDigest, manifestPieces, type Owned, objectManifest } from '../../wire/admin/manifest.ts';
import { MANIFEST_TYPE } from '../server/answer/representation.ts';
import { TextInTurns } from '../server/answer/text-in-turns.ts';
import type { RouteServices } from './route.ts';

/** Leaves out the status and what the API server adds, and parts that cannot be read. */
export function manifestOf(
  { flags, notes }: Pick<RouteServices, 'flags' | 'notes'>,
  flag: FeatureFlag,
  owned: Owned = 'all',
): TextInTurns {
  notes.leaveOut(flag.defects.map(placeOfDefect));
  return yamlOf([flagManifest(flag, owned === 'all' ? flag.spec : ownedSpec(flags, flag, owned))]);
}

/** The manifests of the objects as they are, or as they are after a write. */
export function manifestsAfter(written: readonly WrittenObject[]): TextInTurns {
  return yamlOf(written.map(({ kind, object }) => objectManifest(kind, object)));
}

function yamlOf(manifests: readonly object[]): TextInTurns {
  return new TextInTurns({
    type: `${MANIFEST_TYPE}; charset=utf-8`,
    tag: manifestDigest(manifests),
    pieces: () => manifestPieces(manifests),
  });
}

/** Fields without which the part would belong to another flag. */
const IDENTITY: readonly string[] = ['spec.project', 'spec.name'];

function ownedSpec(flags: RouteServices['flags'], flag: FeatureFlag, owned: 'git' | 'people'): unknown {
  // Parts with defects do not belong into a manifest.
  const readable = { ...flag, rawSpec: flag.spec };
  const isOfGit = ({ owners }: FieldWithOwners) => owners.some(({ isProtected }) => isProtected);
  const wanted = flags
    .fieldsWithOwnersOf(readable)
    .filter((field) => IDENTITY.includes(field.text) || isOfGit(field) === (owned === 'git'));
  return withoutNulls(flags.partOf(readable, wanted), featureFlag.preserveNulls);
}
