/** Objects in another version of the API. */
import { API_VERSION, GROUP } from '../../src/model/kind.ts';
import type { Manifest } from './builders.ts';
import type { Stored } from './stored.ts';

export function inVersion(version: string, manifest: Manifest): Manifest {
  return { ...manifest, apiVersion: `${GROUP}/${version}` };
}

/** Returns the path of the same objects in a version. */
export function pathIn(version: string, path: string): string {
  return path.replace(`/apis/${API_VERSION}/`, `/apis/${GROUP}/${version}/`);
}

/** Returns what must be the same in every version. */
export function withoutVersion({ apiVersion: _, ...rest }: Stored): Stored {
  return rest;
}
