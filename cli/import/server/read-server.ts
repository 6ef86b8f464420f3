/** Everything that a running Unleash says about its flags and its people. */
import type { z } from 'zod';
import { mapBounded } from '../../connection/map-bounded.ts';
import { readAllPages } from '../../connection/pages.ts';
import { Failure } from '../../failure.ts';
import { EXIT } from '../../terminal.ts';
import type { Journal, ReadFlag } from './journal.ts';
import type { OldServer } from './old-server.ts';
import {
  type ArchivedFlag,
  type WireAccess,
  type WireProject,
  type WireToken,
  type WireUsers,
  wireAccess,
  wireArchive,
  wireContext,
  wireEnvironments,
  wireFlag,
  wireFlagNames,
  wireProject,
  wireProjects,
  wireRole,
  wireRoles,
  wireSegments,
  wireTags,
  wireTokens,
  wireTypes,
  wireUsers,
  wireVersion,
} from './shapes.ts';

type Row = Readonly<Record<string, unknown>>;

export interface ReadProject extends WireProject {
  readonly id: string;
  /** Undefined if the edition does not say it. */
  readonly access: WireAccess | undefined;
}

export type ReadRole = z.infer<typeof wireRoles>['roles'][number] & z.infer<typeof wireRole>;

export interface ReadServer {
  readonly version: string | undefined;
  readonly environments: readonly Row[];
  readonly projects: readonly ReadProject[];
  readonly flags: readonly ReadFlag[];
  readonly archived: readonly ArchivedFlag[];
  readonly segments: readonly Row[];
  /** Custom strategy types. */
  readonly types: readonly Row[];
  readonly contextFields: z.infer<typeof wireContext>;
  /** Undefined if the edition does not say them. */
  readonly tokens: readonly WireToken[] | undefined;
  readonly people: WireUsers | undefined;
  readonly roles: readonly ReadRole[];
}

export interface Reading {
  readonly server: OldServer;
  readonly journal: Journal;
  /** Called after each flag. */
  readonly onFlag: (done: number, of: number) => void;
}

/** Calls at a time: the old server goes on serving its applications. */
const CONCURRENCY = 4;
const PAGE = 100;

/** Throws a Failure if the server refuses a call or answers in another form. */
export async function readServer(reading: Reading): Promise<ReadServer> {
  const { server } = reading;
  const version = versionIn(await required(server, '/ui-config', wireVersion));
  const { environments } = await required(server, '/environments', wireEnvironments);
  const projects: ReadProject[] = [];
  for (const { id } of (await required(server, '/projects', wireProjects)).projects) {
    const path = `/projects/${encodeURIComponent(id)}`;
    const access = await optional(server, `${path}/access`, wireAccess);
    // Unleash 7 and later have the overview alone.
    const project = await optional(server, path, wireProject);
    projects.push({ id, ...(project ?? (await required(server, `${path}/overview`, wireProject))), access });
  }
  const listed: ListedFlag[] = [];
  for (const { id } of projects) listed.push(...(await flagsOfProject(server, id)));
  return {
    version,
    environments,
    projects,
    flags: await readFlags(reading, listed),
    archived: await archivedFlags(server),
    segments: (await optional(server, '/segments', wireSegments))?.segments ?? [],
    types: ((await optional(server, '/strategies', wireTypes))?.strategies ?? []).filter(({ editable }) => editable),
    contextFields: (await optional(server, '/context', wireContext)) ?? [],
    tokens: (await optional(server, '/api-tokens', wireTokens))?.tokens,
    people: await optional(server, '/user-admin', wireUsers),
    roles: await readRoles(server),
  };
}

function versionIn({ version, versionInfo }: z.infer<typeof wireVersion>): string | undefined {
  const current = Object.values(versionInfo?.current ?? {}).find((one) => typeof one === 'string' && one !== '');
  return version ?? (typeof current === 'string' ? current : undefined);
}

interface ListedFlag {
  readonly project: string;
  readonly name: string;
  /** Undefined if the list does not say them. */
  readonly tags: ReadFlag['tags'] | undefined;
}

async function flagsOfProject(server: OldServer, project: string): Promise<readonly ListedFlag[]> {
  const list = await optional(server, `/projects/${encodeURIComponent(project)}/features`, wireFlagNames);
  const features = list?.features ?? (await searched(server, { project: `IS:${project}` }, wireFlagNames));
  const sayTags = features.some(({ tags }) => tags);
  return features.map(({ name, tags }) => ({ project, name, tags: tags ?? (sayTags ? [] : undefined) }));
}

async function archivedFlags(server: OldServer): Promise<readonly ArchivedFlag[]> {
  const list = await optional(server, '/archive/features', wireArchive);
  return list?.features ?? (await searched(server, { archived: 'IS:true' }, wireArchive));
}

/** All pages of a search, which newer versions have in place of lists. */
async function searched<F>(
  server: OldServer,
  query: Readonly<Record<string, string>>,
  shape: z.ZodType<{ readonly features: readonly F[]; readonly total?: number | null | undefined }>,
): Promise<readonly F[]> {
  const read = async (offset = 0) => {
    const page = new URLSearchParams({ ...query, limit: `${PAGE}`, offset: `${offset}` });
    const { features: items, total } = await required(server, `/search/features?${page}`, shape);
    const next = offset + items.length;
    return { items, next: items.length > 0 && next < (total ?? 0) ? next : undefined };
  };
  return readAllPages({ place: server.address, what: 'flags', read });
}

async function readFlags({ server, journal, onFlag }: Reading, found: readonly ListedFlag[]) {
  // A flag that changes meanwhile may be on two pages of a search.
  const listed = [...new Map(found.map((one) => [one.name, one])).values()];
  let done = 0;
  const read = async (one: ListedFlag) => {
    const flag = journal.known(one.name) ?? (await readFlag(server, one));
    await journal.add(one.name, flag);
    done += 1;
    onFlag(done, listed.length);
    return flag;
  };
  return mapBounded(listed, read, CONCURRENCY);
}

async function readFlag(server: OldServer, { project, name, tags }: ListedFlag): Promise<ReadFlag> {
  const path = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
  const flag = await required(server, `${path}?variantEnvironments=true`, wireFlag);
  const listed = tags ?? (await optional(server, `/features/${encodeURIComponent(name)}/tags`, wireTags))?.tags ?? [];
  return { project, flag, tags: listed.map(({ type, value }) => ({ type, value })) };
}

async function readRoles(server: OldServer): Promise<readonly ReadRole[]> {
  const { roles = [] } = (await optional(server, '/roles', wireRoles)) ?? {};
  const read: ReadRole[] = [];
  for (const role of roles.filter(({ type }) => type?.includes('custom'))) {
    const { permissions = [] } = (await optional(server, `/roles/${role.id}`, wireRole)) ?? {};
    read.push({ ...role, permissions });
  }
  return read;
}

async function required<T>(server: OldServer, path: string, shape: z.ZodType<T>): Promise<T> {
  const body = await optional(server, path, shape);
  if (body !== undefined) return body;
  throw new Failure(`${server.address} has no /api/admin${path}: is it Unleash 4.19 or later?`, EXIT.unavailable);
}

async function optional<T>(server: OldServer, path: string, shape: z.ZodType<T>): Promise<T | undefined> {
  const body = await server.get(path);
  if (body === undefined) return undefined;
  const { data, error } = shape.safeParse(body);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const where = `${server.address}/api/admin${path}`;
  throw new Failure(
    `${where} answers in a form that is not known (${issue?.path.join('.')}: ${issue?.message})`,
    EXIT.unavailable,
  );
}
