/** The catalog of a past time, made by the same code as the present one, from the versions that were in force. */
import type { VersionPlace } from '../audit/archive/versions/versions.ts';
import type { WatchedScope } from '../audit/record/recorder.ts';
import type { NameClaims } from '../catalog/cached.ts';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import type { NameClaim } from '../domain/name-claims/name-claims.ts';
import type { MakePastCatalog } from '../http/pages/past.ts';
import { emptyStores, type Stores } from '../kinds/empty-stores.ts';
import { decides, kindNameOf } from '../schema/kinds.ts';

/** Where versions are kept: only of kinds that decide. */
export function placeOfVersions({ kind, namespace }: WatchedScope): readonly VersionPlace[] {
  return decides(kind.plural) ? [{ resource: kind.plural, namespace }] : [];
}

interface PastCatalogParts {
  /** The present one. */
  readonly catalog: Pick<Catalog, 'flagClaim' | 'projectClaim' | 'segmentClaim'>;
  readonly home: string;
  /** How long a name stays with a namespace after its last object there is gone. */
  readonly tenureMs: number;
}

/** Users, roles, tokens and change requests decide nothing about flags: the catalog has none. */
export function createPastCatalog(parts: PastCatalogParts): MakePastCatalog {
  const { home } = parts;
  return async (objects, { at, turn }) => {
    const { stores, put } = emptyStores();
    let version = 0;
    for (const { resource, metadata, ...object } of objects) {
      version += 1;
      const name = kindNameOf(resource);
      // A cache takes no object that is older than the last one.
      if (name) put(name, { ...object, metadata: { ...metadata, resourceVersion: `${version}` } });
      await turn();
    }
    return createCatalog(stores, () => at, { home, claims: claimsAt(at, stores, parts) });
  };
}

/**
 * Claims are not recorded: a claim of today counts if an object of its namespace had the name, or had lost it before.
 */
function claimsAt(at: number, stores: Stores, { catalog: present, tenureMs }: PastCatalogParts): NameClaims {
  const claims = {
    featureflags: present.flagClaim,
    projects: present.projectClaim,
    segments: present.segmentClaim,
  };
  const namesakes = {
    featureflags: (name: string) => stores.flags.by('wireName', name),
    projects: (name: string) => stores.projects.by('wireName', name),
    segments: (name: string) => stores.segments.by('wireName', name),
  };
  return {
    of: (kind) => ({
      claimOf(name): NameClaim | undefined {
        const claim = claims[kind](name);
        if (!claim) return undefined;
        const { namespace, until } = claim;
        if (namesakes[kind](name).some(({ metadata }) => metadata.namespace === namespace)) return { namespace };
        return until !== undefined && at >= Date.parse(until) - tenureMs ? claim : undefined;
      },
      onClaim: () => () => undefined,
    }),
  };
}
