/** The subject of NATS that an entry is published to. */
import type { Entry } from '../history/entry.ts';

/** For an entry that has no project, or no environment. */
const NONE = '_';

/** `BASE.PROJECT.ENVIRONMENT`: always three parts, so that a stream of `BASE.>` takes all. */
export function natsSubject(base: string, { project, environment }: Pick<Entry, 'project' | 'environment'>): string {
  return `${base}.${tokenOf(project)}.${tokenOf(environment)}`;
}

/** One token: dots separate tokens, `*` and `>` are wildcards, and blanks end a subject. */
function tokenOf(name: string | null): string {
  if (name === null) return NONE;
  return encodeURIComponent(name.toWellFormed()).replaceAll(/[.*]|^_$/g, percentEncoded);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
