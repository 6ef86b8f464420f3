/** Reads the stored data of applications, their SDKs and the names that they request. */
import { sql } from 'kysely';
import type { Db } from '../audit/archive/tables.ts';
import type { UsageTables } from '../audit/archive/usage-tables.ts';
import { compareText } from '../domain/identity/names.ts';
import { SHORT_RETENTION_MS } from './prune-usage.ts';
import type {
  Application,
  ApplicationPage,
  ApplicationsQuery,
  SdkInstance,
  SdkVersion,
  SeenEdge,
  UnknownFlag,
} from './usage.ts';

const MAX_ANSWERED = 1_000;
/** The maximum number of pairs of application and flag in one read. */
const MAX_PAIRS = 200_000;
const MAX_FLAGS_OF_APPLICATION = 10_000;
const MAX_EDGES_OF_APPLICATION = 10;

export async function readApplications(db: Db, query: ApplicationsQuery, now: number): Promise<ApplicationPage> {
  const wanted = query.query?.toLowerCase() ?? '';
  const allowed = query.flagUids && (await applicationsAskingFor(db, query.flagUids));
  const rows = await db.selectFrom('usage_applications').select(['app', 'last_at']).execute();
  const found = rows.filter(({ app }) => app.toLowerCase().includes(wanted) && (!allowed || allowed.has(app)));
  const { by, order } = query.sort;
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: (typeof rows)[number], b: (typeof rows)[number]) =>
    (by === 'lastAt' ? sign * (a.last_at - b.last_at) : 0) || (by === 'appName' ? sign : 1) * compareText(a.app, b.app);
  const page = found.sort(compare).slice(query.offset, query.offset + Math.min(query.limit, MAX_ANSWERED));
  const names = page.map(({ app }) => app);
  return { applications: await describe(db, names, now), total: found.length };
}

async function applicationsAskingFor(db: Db, flagUids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const pairs = await db.selectFrom('usage_seen').select(['app', 'uid']).distinct().limit(MAX_PAIRS).execute();
  return new Set(pairs.filter(({ uid }) => flagUids.has(uid)).map(({ app }) => app));
}

export async function readApplication(db: Db, appName: string, now: number): Promise<Application | undefined> {
  const [found] = await describe(db, [appName], now);
  return found;
}

export async function readAppNames(db: Db): Promise<readonly string[]> {
  const rows = await db.selectFrom('usage_applications').select('app').execute();
  return rows.map(({ app }) => app);
}

/** The existing applications with these names, in this order. */
async function describe(db: Db, names: readonly string[], now: number): Promise<readonly Application[]> {
  if (names.length === 0) return [];
  const rows = await db.selectFrom('usage_applications').selectAll().where('app', 'in', names).execute();
  const sdks = Map.groupBy(
    await db.selectFrom('usage_sdks').selectAll().where('app', 'in', names).execute(),
    ({ app }) => app,
  );
  const instances = new Map(
    (await countInstances(db, names, now - SHORT_RETENTION_MS)).map((row) => [
      `${row.app}\n${row.environment}`,
      row.count,
    ]),
  );
  const pairs = Map.groupBy(await readPairs(db, names), ({ app }) => app);
  const edges = Map.groupBy(await readEdges(db, names, now - SHORT_RETENTION_MS), ({ app }) => app);
  const byName = new Map(rows.map((row) => [row.app, row]));
  return names.flatMap((appName): Application[] => {
    const row = byName.get(appName);
    if (row === undefined) return [];
    const places = Map.groupBy(sdks.get(appName) ?? [], ({ environment }) => environment);
    const environments = [...places].map(([environment, some]) => ({
      environment,
      instanceCount: instances.get(`${appName}\n${environment}`) ?? 0,
      sdkVersions: some.flatMap(({ sdk }) => (sdk === '' ? [] : [sdk])).sort(compareText),
      lastAt: Math.max(...some.map(({ last_at: lastAt }) => lastAt)),
    }));
    return [
      {
        appName,
        strategies: namesIn(row.strategies),
        environments: environments.sort((a, b) => compareText(a.environment, b.environment)),
        usage: usageIn(pairs.get(appName) ?? []),
        edges: (edges.get(appName) ?? []).slice(0, MAX_EDGES_OF_APPLICATION).map(edgeIn),
        firstAt: row.first_at,
        lastAt: row.last_at,
      },
    ];
  });
}

function countInstances(db: Db, names: readonly string[], since: number) {
  return db
    .selectFrom('usage_instances')
    .select(['app', 'environment', sql<number>`cast(count(*) as bigint)`.as('count')])
    .where('app', 'in', names)
    .where('last_at', '>=', since)
    .groupBy(['app', 'environment'])
    .execute();
}

function readPairs(db: Db, names: readonly string[]) {
  return db
    .selectFrom('usage_seen')
    .select(['app', 'environment', 'uid'])
    .where('app', 'in', names)
    .orderBy('last_at', 'desc')
    .limit(names.length === 1 ? MAX_FLAGS_OF_APPLICATION : MAX_PAIRS)
    .execute();
}

function readEdges(db: Db, names: readonly string[], since: number) {
  return db
    .selectFrom('usage_edges')
    .selectAll()
    .where('app', 'in', names)
    .where('last_at', '>=', since)
    .orderBy('last_at', 'desc')
    .orderBy('instance')
    .execute();
}

type EdgeRow = UsageTables['usage_edges'];

function edgeIn({ environment, edge: appName, instance: instanceId, last_at: lastAt }: EdgeRow): SeenEdge {
  return { appName, instanceId, environment, lastAt };
}

function usageIn(pairs: readonly { readonly environment: string; readonly uid: string }[]): Application['usage'] {
  const groups = Map.groupBy(pairs, ({ environment }) => environment);
  const usage = [...groups].map(([environment, some]) => ({ environment, flagUids: some.map(({ uid }) => uid) }));
  return usage.sort((a, b) => compareText(a.environment, b.environment));
}

function namesIn(json: string): readonly string[] {
  const names: unknown = JSON.parse(json);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

export async function readInstances(
  db: Db,
  { appName, environment }: { readonly appName: string; readonly environment: string },
  now: number,
): Promise<readonly SdkInstance[]> {
  const rows = await db
    .selectFrom('usage_instances')
    .selectAll()
    .where('app', '=', appName)
    .where('environment', '=', environment)
    .where('last_at', '>=', now - SHORT_RETENTION_MS)
    .orderBy('last_at', 'desc')
    .orderBy('instance')
    .limit(MAX_ANSWERED)
    .execute();
  return rows.map(({ instance, sdk, last_at: lastAt }) => ({
    instanceId: instance,
    sdkVersion: sdk === '' ? undefined : sdk,
    lastAt,
  }));
}

export async function readSdkVersions(db: Db, now: number): Promise<readonly SdkVersion[]> {
  const rows = await db
    .selectFrom('usage_sdks')
    .select(['sdk', 'app'])
    .distinct()
    .where('sdk', '<>', '')
    .where('last_at', '>=', now - SHORT_RETENTION_MS)
    .execute();
  const groups = Map.groupBy(rows, ({ sdk }) => sdk);
  const versions = [...groups].map(([sdkVersion, some]) => ({
    sdkVersion,
    appNames: some.map(({ app }) => app).sort(compareText),
  }));
  return versions.sort((a, b) => compareText(a.sdkVersion, b.sdkVersion));
}

export async function readUnknownFlags(db: Db, now: number): Promise<readonly UnknownFlag[]> {
  const rows = await db
    .selectFrom('usage_unknown')
    .selectAll()
    .where('last_at', '>=', now - SHORT_RETENTION_MS)
    .orderBy('last_at', 'desc')
    .orderBy('name')
    .limit(MAX_ANSWERED)
    .execute();
  return rows.map(({ name, environment, app: appName, archived_uid: uid, last_at: lastAt }) => ({
    ...{ name, environment, appName, lastAt },
    archivedUid: uid === '' ? undefined : uid,
  }));
}

/** Each has the column `app`. */
const tablesOfApplications = [
  'usage_seen',
  'usage_applications',
  'usage_sdks',
  'usage_instances',
  'usage_edges',
  'usage_unknown',
] as const;

export async function deleteApplication(db: Db, appName: string): Promise<void> {
  for (const table of tablesOfApplications) {
    await db.deleteFrom(table).where('app', '=', appName).execute();
  }
}
