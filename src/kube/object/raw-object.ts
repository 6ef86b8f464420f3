/** An unparsed object of the API server; only its identity is checked. */
import { ClusterError } from '../../errors.ts';
import { recordOf } from '../../model/json.ts';

export interface RawMetadata {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly unknown[];
}

export interface RawObject {
  readonly metadata: RawMetadata;
  readonly spec?: unknown;
  readonly status?: unknown;
}

const IDENTITY = ['namespace', 'name', 'uid', 'resourceVersion'] as const;

/** Checks the identity of an object from a response or frame; throws if it is incomplete, as the cache needs it. */
export function asRawObject(value: unknown): RawObject {
  const metadata = recordOf(recordOf(value)['metadata']);
  if (!IDENTITY.every((key) => typeof metadata[key] === 'string')) {
    throw new ClusterError('unavailable', `The API server sent an object that lacks one of ${IDENTITY.join(', ')}`);
  }
  return value as RawObject;
}

/** Returns undefined if the object has no resourceVersion, or an empty one. */
export function versionOf(object: unknown): string | undefined {
  const { resourceVersion: version } = recordOf(recordOf(object)['metadata']);
  return typeof version === 'string' && version !== '' ? version : undefined;
}
