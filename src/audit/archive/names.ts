/** Integer ids for the names that entries are filtered by. */
import { isWithoutEffect, type ProjectPlace, type Visible } from '../../domain/history/entry.ts';
import { inChunks } from './sql.ts';
import { defineStatement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * The owner of an entry: a project in a namespace (`shop/checkout`), or without a project its resource
 * (`/environments`); for an object without effect its namespace (`shop/`).
 */
export function ownerOf(entry: {
  readonly namespace: string;
  readonly project: string | null;
  readonly resource: string;
  readonly featureName: string | null;
}): string {
  const { namespace, project, resource } = entry;
  return project === null && !isWithoutEffect(entry) ? `/${resource}` : `${namespace}/${project ?? ''}`;
}

export function ownerOfProject({ namespace, id }: ProjectPlace): string {
  return ownerOf({ namespace, project: id, resource: '', featureName: null });
}

/** The ids of the known names. */
export async function numbersOf(db: Db, names: Iterable<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const some of inChunks([...new Set(names)], 1000)) {
    const rows = await db.selectFrom('names').select(['id', 'name']).where('name', 'in', some).execute();
    for (const { id, name } of rows) found.set(name, id);
  }
  return found;
}

/** Assigns ids to new names. Asks first, because each attempt to insert takes an id in PostgreSQL. */
export const insertNames = defineStatement(
  { name: 'text' },
  (source) => `insert into names (name) select r.name from ${source}
    where not exists (select 1 from names as n where n.name = r.name) order by r.name on conflict (name) do nothing`,
);

/** The ids of the owners whose entries the caller may see. */
export async function ownersSeen(db: Db, { namespaces, projects, resources }: Visible): Promise<number[]> {
  const single = [
    ...projects.map(ownerOfProject),
    ...resources.map((resource) => ownerOf({ namespace: '', project: null, resource, featureName: null })),
  ];
  const seen = new Set((await numbersOf(db, single)).values());
  for (const namespace of new Set(namespaces)) {
    // The range from `shop/` to `shop0` (exclusive): 0 is the character after the slash.
    const rows = await db
      .selectFrom('names')
      .select('id')
      .where('name', '>=', `${namespace}/`)
      .where('name', '<', `${namespace}0`)
      .execute();
    for (const { id } of rows) seen.add(id);
  }
  return [...seen];
}
