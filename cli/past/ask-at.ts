/** Asks the API of Vexil for a past time, on both sides of a change whose time is uncertain. */
import { z } from 'zod';
import { isRecord } from '../../src/model/json.ts';
import { readYaml } from '../../src/model/yaml/yaml.ts';
import { ApiFailure, bodyAs, pathOf, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { type FlagOfProject, pathOfFlag } from '../flags/flag-on-server.ts';
import { EXIT } from '../terminal.ts';

export type InGap = 'before' | 'after';

/** A time, and the side of a change around it. */
export interface AtTime {
  /** RFC 3339 with a zone. */
  readonly at: string;
  readonly inGap?: InGap | undefined;
}

export interface StateAt<T> {
  /** `certain`: the only one. */
  readonly when: 'certain' | InGap;
  readonly value: T;
}

export interface StatesAt<T> {
  readonly states: readonly StateAt<T>[];
  /** The objects that changed, and the times of the change; empty: the state is certain. */
  readonly uncertain: readonly string[];
}

/** Returns one state, or both if the time is in a gap. */
export async function statesAt<T>(at: string, read: (time: AtTime) => Promise<T>): Promise<StatesAt<T>> {
  try {
    return { states: [{ when: 'certain', value: await read({ at }) }], uncertain: [] };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'UncertainTimeError') throw error;
    const sides = ['before', 'after'] as const;
    const values = await Promise.all(sides.map((inGap) => read({ at, inGap })));
    const states = sides.flatMap((when, index) => values.slice(index, index + 1).map((value) => ({ when, value })));
    return { states, uncertain: error.details.map(({ message }) => message) };
  }
}

/** Returns undefined if there was none. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiFailure && error.status === EXIT.noInput) return undefined;
    throw error;
  });
}

/** The manifest of a flag, without what the API server adds; undefined if there was no flag, or an archived one. */
export async function manifestAt(
  server: ServerConnection,
  flag: FlagOfProject,
  time: AtTime | undefined,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const call = server.call({ method: 'GET', path: pathOfFlag(flag), query: { ...time }, accept: 'application/yaml' });
  const answer = await unlessMissing(call);
  const manifest = typeof answer?.body === 'string' ? readYaml(answer.body) : undefined;
  return isRecord(manifest) ? manifest : undefined;
}

/** Of a list, only what is needed: a later server may say more. */
const namedFlags = z.object({ features: z.array(z.object({ name: z.string() })) });
const namedProjects = z.object({ projects: z.array(z.object({ id: z.string() })) });

/**
 * The flags that were there at one of the times, without archived ones, by project; undefined: now. Without a project,
 * those of the present projects that the caller may read.
 */
export async function flagsAt(
  server: ServerConnection,
  wanted: string | undefined,
  times: readonly (string | undefined)[],
): Promise<readonly FlagOfProject[]> {
  const flags: FlagOfProject[] = [];
  for (const project of wanted === undefined ? await projectsOf(server) : [wanted]) {
    const lists = await Promise.all(times.map((time) => namesAt(server, project, time)));
    const names = lists.flatMap((list) => list ?? []);
    if (lists.every((list) => list === undefined) && project === wanted)
      throw new Failure(`there is no project ${project}, and there was none then`, EXIT.noInput);
    flags.push(...[...new Set(names)].sort().map((name) => ({ project, name })));
  }
  return flags;
}

/** The flags of a project that are not archived, on both sides of a gap; undefined if there was no such project. */
async function namesAt(
  server: ServerConnection,
  project: string,
  at: string | undefined,
): Promise<readonly string[] | undefined> {
  const read = async (time: AtTime | undefined) => {
    const path = pathOf('projects', project, 'features');
    const answer = await unlessMissing(server.call({ method: 'GET', path, query: { ...time } }));
    return answer && bodyAs(namedFlags, answer).features.map(({ name }) => name);
  };
  if (at === undefined) return read(undefined);
  const { states } = await statesAt(at, read);
  const found = states.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return found.length === 0 ? undefined : [...new Set(found.flat())];
}

async function projectsOf(server: ServerConnection): Promise<string[]> {
  const answer = await server.call({ method: 'GET', path: '/projects' });
  return bodyAs(namedProjects, answer).projects.map(({ id }) => id);
}
