/** Parses text into manifests of the kinds of Vexil. */
import { definitions } from '../../src/kinds/registry.ts';
import { isRecord } from '../../src/model/json.ts';
import { API_VERSION, API_VERSIONS, GROUP, isServedVersion } from '../../src/model/kind.ts';
import type { KindName } from '../../src/schema/kinds.ts';
import { isUnreadable, type PlaceOf, parseDocuments, type Unreadable } from './documents.ts';
import type { Place } from './place.ts';
import type { Source } from './source.ts';

export interface Manifest {
  readonly kind: KindName;
  /** The object as JSON, in the version that Vexil writes: versions differ in `apiVersion` only. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Takes keys from the root of the object. */
  readonly placeOf: PlaceOf;
}

export interface Parsed {
  readonly manifests: readonly Manifest[];
  readonly unreadable: readonly Unreadable[];
  /** The number of objects of kinds other than those of Vexil. */
  readonly passedOver: number;
}

/** Parses documents separated by `---`, JSON, and lists of objects. */
export function parseManifests(source: Source): Parsed {
  return together(
    parseDocuments(source, 'kubectl').map((document) => {
      if (isUnreadable(document)) return { ...NOTHING, unreadable: [document] };
      // kubectl could read an object where a text begins with a strange space.
      if (typeof document.value === 'string') return unreadableAt(document.placeOf([]), TEXT);
      return together(objectsIn(document.value, []).map((object) => asManifest(object, document.placeOf)));
    }),
  );
}

function asManifest({ object, path }: ObjectInFile, placeAtPath: Manifest['placeOf']): Parsed {
  if (!isOurs(object)) return { ...NOTHING, passedOver: 1 };
  const placeOf: Manifest['placeOf'] = (below) => placeAtPath([...path, ...below]);
  const kind = kindOf(object);
  return kind
    ? { ...NOTHING, manifests: [{ kind, value: { ...object, apiVersion: API_VERSION }, placeOf }] }
    : unreadableAt(placeOf(['kind']), unknownKind(object));
}

const TEXT = 'this document is a text, not an object: remove it, or what stands before the object';

const NOTHING: Parsed = { manifests: [], unreadable: [], passedOver: 0 };

function together(parts: readonly Parsed[]): Parsed {
  return {
    manifests: parts.flatMap(({ manifests }) => manifests),
    unreadable: parts.flatMap(({ unreadable }) => unreadable),
    passedOver: parts.reduce((sum, { passedOver }) => sum + passedOver, 0),
  };
}

function unreadableAt(place: Place, message: string): Parsed {
  return { ...NOTHING, unreadable: [{ place, message }] };
}

interface ObjectInFile {
  readonly object: Readonly<Record<string, unknown>>;
  readonly path: readonly string[];
}

/** Returns the object itself, or the items of a list as `kubectl get -o yaml` writes it. */
function objectsIn(value: unknown, path: readonly string[]): readonly ObjectInFile[] {
  if (!isRecord(value)) return [];
  const { kind, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [{ object: value, path }];
  return items.flatMap((item: unknown, index) => objectsIn(item, [...path, 'items', String(index)]));
}

function isOurs({ apiVersion }: Readonly<Record<string, unknown>>): boolean {
  return typeof apiVersion === 'string' && apiVersion.startsWith(`${GROUP}/`);
}

function kindOf({ apiVersion, kind }: Readonly<Record<string, unknown>>): KindName | undefined {
  if (!isServedVersion(apiVersion)) return undefined;
  return definitions.find(([, definition]) => definition.kind.kind === kind)?.[0];
}

function unknownKind({ apiVersion, kind }: Readonly<Record<string, unknown>>): string {
  const known = definitions.map(([, definition]) => definition.kind.kind).join(', ');
  return `there is no ${String(kind)} in ${String(apiVersion)}: the kinds of ${API_VERSIONS.join(' and ')} are ${known}`;
}
