/** Objects in another version of the API. */
import { GROUP } from '../../src/model/kind.ts';
import type { Manifest } from './builders.ts';
import type { Stored } from './stored.ts';

export function inVersion(version: string, manifest: Manifest): Manifest {
  return { ...manifest, apiVersion: `${GROUP}/${version}` };
}

/** Returns what must be the same in every version. */
export function withoutVersion({ apiVersion: _, ...rest }: Stored): Stored {
  return rest;
}
