/** The script that stores versions. */
import { DEFAULT_PROJECT } from '../../../domain/identity/names.ts';
import { isRecord } from '../../../model/json.ts';
import { nextTurn } from '../../../runtime/turns.ts';
import { featureFlag } from '../../../schema/feature-flag.ts';
import type { Batch, NewVersion } from '../archive.ts';
import { storable } from '../entry-rows.ts';
import { inChunks } from '../sql.ts';
import { defineStatement, type Script, type ScriptStep, stepOf } from '../statement.ts';
import { contentOf, type PackedContent, packContent } from './content.ts';

export const insertContents = defineStatement(
  { digest: 'text', body: 'text' },
  (source) => `insert into contents (digest, body) select r.digest, r.body from ${source}
    where not exists (select 1 from contents as c where c.digest = r.digest) order by r.digest
    on conflict (digest) do nothing`,
);

const trackedTypes = {
  ...({ uid: 'text', resource: 'text', namespace: 'text', name: 'text' } as const),
  ...({ wire_name: 'text', project: 'text', created: 'text' } as const),
};
const trackedColumns = Object.keys(trackedTypes);

const insertTracked = defineStatement(
  trackedTypes,
  (source) => `insert into tracked (${trackedColumns}) select ${trackedColumns.map((column) => `r.${column}`)}
    from ${source} where not exists (select 1 from tracked as t where t.uid = r.uid) order by r.uid
    on conflict (uid) do nothing`,
);

const lastEarliest =
  'coalesce((select max(v.earliest_at) from versions as v join tracked as t on t.id = v.tracked where t.uid = r.uid), 0)';

/** Rows are inserted in the order of their versions. */
const insertVersions = defineStatement(
  {
    ...({ position: 'bigint', uid: 'text', digest: 'text', generation: 'bigint', earliest_at: 'bigint' } as const),
    ...({ from_at: 'bigint', several: 'bigint', has_parents: 'bigint' } as const),
  },
  (source) => `insert into versions (tracked, content, generation, earliest_at, from_at, several, has_parents)
    select (select id from tracked where uid = r.uid), (select id from contents where digest = r.digest), r.generation,
      case when r.earliest_at > ${lastEarliest} then r.earliest_at else ${lastEarliest} end,
      r.from_at, r.several, r.has_parents
    from ${source} order by r.position`,
);

/** Only if no operator without versions has moved the cursor since. */
const moveScope = defineStatement(
  { scope: 'text', known: 'bigint', moved_at: 'bigint' },
  (source) => `update version_scopes set revision = r.known + 1, moved_at = r.moved_at
    from ${source} where version_scopes.scope = r.scope and version_scopes.revision = r.known`,
);

/** Completeness that was known before stays known: what was missed is in the spans of the versions. */
const completeScope = defineStatement(
  { scope: 'text', since: 'bigint', revision: 'bigint', moved_at: 'bigint' },
  (source) => `insert into version_scopes (scope, since, revision, moved_at)
    select r.scope, r.since, r.revision, r.moved_at from ${source} where true
    on conflict (scope) do update set revision = excluded.revision, moved_at = excluded.moved_at`,
);

/** Bounds the parameter of PostgreSQL. */
const VERSIONS_PER_STEP = 1_000;

export function storeVersions({ scope, after, at, completeSince }: Batch, versions: readonly PackedVersion[]): Script {
  return [...inChunks(versions, VERSIONS_PER_STEP).flatMap(storeSome), scopeStep()];

  function scopeStep(): ScriptStep {
    if (completeSince === undefined) return stepOf(moveScope, [{ scope, known: after ?? 0, moved_at: at }]);
    return stepOf(completeScope, [{ scope, since: completeSince, revision: (after ?? 0) + 1, moved_at: at }]);
  }
}

function storeSome(versions: readonly PackedVersion[]): Script {
  const contents = versions.flatMap(({ packed }) => (packed ? [[packed.digest, { ...packed }] as const] : []));
  const tracked = versions.map(({ tracked }) => [tracked.uid, tracked] as const);
  return [
    stepOf(insertContents, [...new Map(contents).values()]),
    stepOf(insertTracked, [...new Map(tracked).values()]),
    stepOf(insertVersions, rowsOf(versions)),
  ];
}

/** A version of an object is not in force before the previous one. */
function rowsOf(versions: readonly PackedVersion[]) {
  const reached = new Map<string, number>();
  return versions.map(({ row, packed }, position) => {
    const earliest = Math.max(row.earliest_at, reached.get(row.uid) ?? 0);
    reached.set(row.uid, earliest);
    return { ...row, position, earliest_at: earliest, digest: packed?.digest ?? null };
  });
}

/** The rows of a version. */
export interface PackedVersion {
  readonly tracked: {
    readonly uid: string;
    readonly resource: string;
    readonly namespace: string;
    readonly name: string;
    readonly created: string;
    readonly wire_name: string;
    readonly project: string | null;
  };
  readonly row: {
    readonly uid: string;
    readonly generation: number;
    readonly earliest_at: number;
    readonly from_at: number;
    readonly several: number;
    readonly has_parents: number;
  };
  /** Undefined: the object was deleted. */
  readonly packed: PackedContent | undefined;
}

/** In turns, because to compress a large object takes long. */
export async function packVersions(versions: readonly NewVersion[]): Promise<readonly PackedVersion[]> {
  const packed: PackedVersion[] = [];
  for (const version of versions) {
    packed.push(packVersion(version));
    await nextTurn();
  }
  return packed;
}

/** The spec is as it is stored: parts that the schema rejects may be there. */
function packVersion(version: NewVersion): PackedVersion {
  const { uid, resource, object, generation, earliestAt, fromAt, several, isDeleted } = version;
  const { metadata, spec, status } = JSON.parse(object);
  const { namespace, name, creationTimestamp: created = '' } = metadata;
  const { name: wireName, project, dependencies } = isRecord(spec) ? spec : {};
  const textOr = (value: unknown, absent: string) => (typeof value === 'string' ? storable(value) : absent);
  const hasParents = !isDeleted && Array.isArray(dependencies) && dependencies.length > 0;
  return {
    tracked: {
      ...{ uid, resource, namespace, name, created, wire_name: textOr(wireName, name) },
      project: resource === featureFlag.plural ? textOr(project, DEFAULT_PROJECT) : null,
    },
    row: {
      ...{ uid, generation, earliest_at: earliestAt, from_at: fromAt },
      ...{ several: Number(several), has_parents: Number(hasParents) },
    },
    packed: isDeleted ? undefined : packContent(contentOf({ spec, status })),
  };
}
