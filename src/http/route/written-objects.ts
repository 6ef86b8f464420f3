/** The part of an answer about the objects that its request has written, or would have written. */
import type { WrittenObject } from '../../actions/services.ts';
import { compareText } from '../../domain/identity/names.ts';
import { keyOf } from '../../model/object.ts';
import type { TextInTurns } from '../server/answer/text-in-turns.ts';
import { manifestsAfter } from './manifest.ts';
import { type Input, namesFlagVersion, previewsObject, type Route } from './route.ts';

/** The header with the ETag of the manifest of the flag that was written: the If-Match of the next write. */
export const MANIFEST_ETAG = 'Vexil-Manifest-ETag';

export interface WrittenObjects {
  /** Undefined if the answer contains nothing about them. */
  readonly note: ((written: WrittenObject) => void) | undefined;
  /** The preview of a dry run, which replaces its answer. */
  readonly preview: () => TextInTurns | undefined;
  /** The ETag of the one flag that was written. */
  readonly manifestTag: () => string | undefined;
}

/** For requests that only read. */
export const NOTHING_WRITTEN: WrittenObjects = {
  note: undefined,
  preview: () => undefined,
  manifestTag: () => undefined,
};

type WriteInput = Pick<Input<unknown, unknown, unknown>, 'dryRun' | 'wantsManifest' | 'ifMatch'>;

/** Whether the answer must be the manifests of a dry run. */
export function asksPreview(route: Route, { dryRun, wantsManifest }: WriteInput): boolean {
  return dryRun && wantsManifest && previewsObject(route);
}

export function createWrittenObjects(route: Route, asked: WriteInput): WrittenObjects {
  const { dryRun, ifMatch } = asked;
  const isPreview = asksPreview(route, asked);
  const namesVersion = !dryRun && ifMatch !== undefined && namesFlagVersion(route);
  const written = new Map<string, WrittenObject>();
  const note = (one: WrittenObject) => void written.set(keyOf(one.object.metadata), one);
  // Concurrent writes end in any order.
  const inOrder = () => [...written].sort(([one], [other]) => compareText(one, other)).map(([, object]) => object);
  const manifests = () => manifestsAfter(inOrder());
  return {
    note: isPreview || namesVersion ? note : undefined,
    preview: () => (isPreview && written.size > 0 ? manifests() : undefined),
    manifestTag: () => (namesVersion && written.size === 1 ? manifests().etag : undefined),
  };
}
