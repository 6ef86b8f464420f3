/** Objects as manifests for Git. */

import type { WrittenObject } from '../../actions/services.ts';
import { placeOfDefect } from '../../domain/judgement/defects.ts';
import type { FieldWithOwners } from '../../model/field-owner.ts';
import { withoutNulls } from '../../model/without-nulls.ts';
import { type FeatureFlag, featureFlag } from '../../schema/feature-flag.ts';
import { flagManifest, manifestText, type Owned, objectManifest } from '../../wire/admin/manifest.ts';
import { MANIFEST_TYPE, Representation } from '../server/representation.ts';
import type { RouteServices } from './route.ts';

/** Without status and without what the API server adds. Parts that cannot be read are left out. */
export function manifestOf(
  { flags, leaveOut }: Pick<RouteServices, 'flags' | 'leaveOut'>,
  flag: FeatureFlag,
  owned: Owned = 'all',
): Representation {
  leaveOut(flag.defects.map(placeOfDefect));
  return yamlOf([flagManifest(flag, owned === 'all' ? flag.spec : ownedSpec(flags, flag, owned))]);
}

/** Each object as it is; of a write, as it is afterwards. */
export function manifestsAfter(written: readonly WrittenObject[]): Representation {
  return yamlOf(written.map(({ kind, object }) => objectManifest(kind, object)));
}

function yamlOf(manifests: readonly object[]): Representation {
  return new Representation(Buffer.from(manifestText(manifests)), undefined, `${MANIFEST_TYPE}; charset=utf-8`);
}

/** Without its project and name, the part would be of another flag. */
const IDENTITY: readonly string[] = ['spec.project', 'spec.name'];

function ownedSpec(flags: RouteServices['flags'], flag: FeatureFlag, owned: 'git' | 'people'): unknown {
  // Parts with defects are no part of a manifest.
  const readable = { ...flag, rawSpec: flag.spec };
  const isOfGit = ({ owners }: FieldWithOwners) => owners.some(({ isProtected }) => isProtected);
  const wanted = flags
    .fieldsWithOwnersOf(readable)
    .filter((field) => IDENTITY.includes(field.text) || isOfGit(field) === (owned === 'git'));
  return withoutNulls(flags.partOf(readable, wanted), featureFlag.preserveNulls);
}
