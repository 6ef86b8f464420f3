/** What only some of the supported API servers can do. */
import type { Stored } from '../stored.ts';
import type { ControlPlaneAccess } from './access.ts';

/** The features of an API server that some of the supported versions lack. */
export interface Abilities {
  /** MutatingAdmissionPolicy, which the author policy needs. */
  readonly recordsAuthors: boolean;
  /** Lists at the beginning of a watch (WatchList). */
  readonly streamsLists: boolean;
  /** `sort()` in CEL, which the policy environment-permission uses. */
  readonly sorts: boolean;
}

export async function abilitiesOf({ request }: Pick<ControlPlaneAccess, 'request'>): Promise<Abilities> {
  const { minor }: Stored = await request({ method: 'GET', path: '/version' });
  const since = (first: number) => Number.parseInt(minor, 10) >= first;
  return { recordsAuthors: since(36), streamsLists: since(34), sorts: since(35) };
}
