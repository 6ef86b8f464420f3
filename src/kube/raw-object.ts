/** An object as the API server sent it, sure only of its identity. */
import { AppError } from '../errors.ts';

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

/** Takes an answer or a frame as an object; one without identity cannot be cached, so it is refused. */
export function asRawObject(value: unknown): RawObject {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(metadata) || !IDENTITY.every((key) => typeof metadata[key] === 'string')) {
    throw new AppError('unavailable', `The API server sent an object that lacks one of ${IDENTITY.join(', ')}`);
  }
  return value as RawObject;
}

/** True for an object in the sense of JSON. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
