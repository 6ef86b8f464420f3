/** Finds the project of a flag through the API of Vexil. */
import { wireFeatureSearch } from '../../src/wire/admin/flag/feature.ts';
import { bodyAs, pathOf, type ServerConnection } from '../connection/server.ts';
import { severalFlags, unknownFlag } from './unknown-flag.ts';

/** One page of the search; more names do not improve the suggestion. */
const MAX_FOUND = 1000;

export interface FlagOfProject {
  readonly project: string;
  readonly name: string;
}

/** The path of a flag below /api/admin, or of a part of it. */
export function pathOfFlag({ project, name }: FlagOfProject, ...part: readonly string[]): string {
  return pathOf('projects', project, 'features', name, ...part);
}

/** Throws a Failure if the caller may read no flag of this name, or more than one. */
export async function flagOnServer(
  server: ServerConnection,
  name: string,
  project: string | undefined,
): Promise<FlagOfProject> {
  const search = async (query: string | undefined): Promise<FlagOfProject[]> => {
    const answer = await server.call({ method: 'GET', path: '/search/features', query: { query, limit: MAX_FOUND } });
    return bodyAs(wireFeatureSearch, answer).features.filter((one) => project === undefined || one.project === project);
  };
  const [flag, ...others] = (await search(name)).filter((one) => one.name === name);
  if (!flag) {
    const known = (await search(undefined)).map((one) => one.name);
    const where =
      project === undefined
        ? 'the projects that you may read, except for the archive'
        : `the project "${project}", except for its archive`;
    throw unknownFlag(name, known, where);
  }
  if (others.length > 0) {
    const places = [flag, ...others].map((one) => `of project ${one.project}`);
    throw severalFlags(name, places, 'Select one with --project.');
  }
  return flag;
}
