/** The script that stores entries with their index rows. */
import type { NewEntry } from '../../domain/history/entry.ts';
import { wayOf } from '../../domain/history/way.ts';
import { abridgeAll } from './abridge.ts';
import { authorSteps } from './authors.ts';
import { storable, storableOrNull, toRow } from './entry-rows.ts';
import { maskedTextOf, searchTextOf } from './fold.ts';
import { insertNames, ownerOf } from './names.ts';
import { inChunks } from './sql.ts';
import { defineStatement, type Script, stepOf } from './statement.ts';
import type { DatabaseKind } from './tables.ts';

/** Bounds the parameter of PostgreSQL. */
const ENTRIES_PER_STEP = 1_000;

interface Storing {
  readonly kind: DatabaseKind;
  readonly publication: number;
}

const entryTypes = {
  ...({ key: 'text', created_at: 'bigint', type: 'text', project: 'text', environment: 'text' } as const),
  ...({ feature_name: 'text', data: 'text', pre_data: 'text', tags: 'text', subject: 'text' } as const),
  ...({ created_by: 'text', created_by_user_id: 'bigint', ip: 'text', resource: 'text', namespace: 'text' } as const),
  ...({ object: 'text', uid: 'text', from_version: 'text', to_version: 'text', coalesced: 'bigint' } as const),
  ...({ restored: 'bigint', earliest_at: 'bigint', channel: 'text', field_manager: 'text' } as const),
  ...({ reason: 'text', publication: 'bigint' } as const),
};
const entryColumns = Object.keys(entryTypes);

export const insertEntries = defineStatement(
  entryTypes,
  (source) => `insert into entries (${entryColumns}) select ${entryColumns.map((column) => `r.${column}`)}
    from ${source} where true on conflict (key) do nothing`,
);

const idOfEntry = '(select id from entries where key = r.key)';
const idOfName = (column: string) => `(select id from names where name = r.${column})`;

const insertFacets = defineStatement(
  {
    ...({ key: 'text', created_at: 'bigint', owner: 'text', type: 'text', project: 'text' } as const),
    ...({ environment: 'text', feature: 'text', created_by: 'bigint', way: 'text' } as const),
  },
  (source) => `insert into facets (id, created_at, owner, type, project, environment, feature, created_by, way)
    select ${idOfEntry}, r.created_at, ${idOfName('owner')}, ${idOfName('type')}, coalesce(${idOfName('project')}, 0),
      coalesce(${idOfName('environment')}, 0), coalesce(${idOfName('feature')}, 0), r.created_by,
      coalesce(${idOfName('way')}, 0)
    from ${source} where true on conflict (id) do nothing`,
);

const insertTextsIn = (table: 'texts' | 'masked_texts') =>
  defineStatement(
    { key: 'text', folded: 'text' },
    (source) => `insert into ${table} (id, folded) select ${idOfEntry}, r.folded
      from ${source} where true on conflict (id) do nothing`,
  );
const insertTexts = insertTextsIn('texts');
const insertMaskedTexts = insertTextsIn('masked_texts');

/**
 * The index of texts has no `on conflict`. Ids only grow, so the texts of this script are those above the last facet.
 * One statement for all, because the index is flushed after each.
 */
const insertGrams = defineStatement(
  {},
  () => `insert into grams (rowid, folded) select id, folded from texts
    where id > coalesce((select max(id) from facets), 0) order by id`,
);

/** Existing entries are not replaced, nor is the first of several with one key. `insertEntries` writes the new ones. */
export function storeEntries(storing: Storing, entries: readonly NewEntry[]): Script {
  const firstByKey = Map.groupBy(abridgeAll(entries), ({ key }) => key).values();
  const firsts = [...firstByKey].flatMap(([first]) => first ?? []);
  return inChunks(firsts, ENTRIES_PER_STEP).flatMap((some) => storeSome(storing, some));
}

function storeSome({ kind, publication }: Storing, entries: readonly NewEntry[]): Script {
  const facets = entries.map(facetOf);
  const names = new Set(
    facets.flatMap((facet) => [facet.owner, facet.type, facet.project, facet.environment, facet.feature, facet.way]),
  );
  const sorted = [...names].filter((name) => name !== null).sort();
  const texts = entries.map((entry) => ({ key: entry.key, folded: searchTextOf(entry) }));
  const masked = entries.flatMap((entry) => {
    const folded = maskedTextOf(entry);
    return folded === undefined ? [] : [{ key: entry.key, folded }];
  });
  return [
    stepOf(
      insertEntries,
      entries.map((entry) => toRow(entry, publication)),
    ),
    stepOf(
      insertNames,
      sorted.map((name) => ({ name })),
    ),
    stepOf(insertTexts, texts),
    ...(kind === 'sqlite' ? [stepOf(insertGrams, [{}])] : []),
    stepOf(insertFacets, facets),
    stepOf(insertMaskedTexts, masked),
    ...authorSteps(entries),
  ];
}

function facetOf(entry: NewEntry) {
  const { key, createdAt, type, project, environment, featureName, createdByUserId } = entry;
  return {
    ...{ key, created_at: createdAt, created_by: createdByUserId, type, owner: storable(ownerOf(entry)) },
    ...{ project: storableOrNull(project), environment: storableOrNull(environment) },
    ...{ feature: storableOrNull(featureName), way: wayOf(entry) },
  };
}
