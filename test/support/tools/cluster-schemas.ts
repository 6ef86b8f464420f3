/** Schemas for kubeconform, made from the API document of an API server. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A schema with any content. */
type Schema = Readonly<Record<string, unknown>>;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The part of the answer of `/openapi/v2` that is used. */
export interface OpenApi {
  readonly definitions: Readonly<Record<string, Schema>>;
}

const REFERENCE = '#/definitions/';
const GVK = 'x-kubernetes-group-version-kind';

/** Types that are texts or numbers, which the document cannot express. */
const TEXT_OR_NUMBER = /\.(IntOrString|Quantity)$/;

/**
 * The path at which kubeconform finds the files of `writeClusterSchemas`. kubeconform takes the version of core as its
 * group.
 */
export function schemaLocation(folder: string): string {
  return join(folder, '{{ .Group }}_{{ .ResourceAPIVersion }}_{{ .ResourceKind }}.json');
}

/** Writes one file for each wanted kind of the server. Unknown fields are refused. */
export async function writeClusterSchemas(
  folder: string,
  { definitions }: OpenApi,
  isWanted: (kind: string) => boolean,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, schema] of Object.entries(definitions)) {
    const [gvk, ...more] = (schema[GVK] ?? []) as readonly GroupVersionKind[];
    // Options of deletions and similar types belong to every group.
    if (gvk === undefined || more.length > 0 || !isWanted(gvk.kind)) continue;
    const needed = reachable(name, definitions).map((one) => [one, strict(one, definitions[one] ?? {})]);
    const text = JSON.stringify({ $ref: REFERENCE + name, definitions: Object.fromEntries(needed) });
    await writeFile(join(folder, `${gvk.group || gvk.version}_${gvk.version}_${gvk.kind.toLowerCase()}.json`), text);
  }
}

function reachable(first: string, definitions: OpenApi['definitions']): readonly string[] {
  const found = new Set([first]);
  for (const name of found) {
    for (const reference of referencesIn(definitions[name])) found.add(reference);
  }
  return [...found];
}

function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner.slice(REFERENCE.length)] : referencesIn(inner),
  );
}

/** Refuses fields that are not named, if the schema names any. */
function strict(name: string, schema: Schema): Schema {
  return TEXT_OR_NUMBER.test(name) ? { type: ['string', 'number'] } : closed(schema);
}

function closed(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema as Readonly<Record<string, Schema | undefined>>;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties !== undefined;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => !isForeign(key))),
    ...(schema['x-kubernetes-int-or-string'] ? { type: ['string', 'integer'] } : {}),
    ...(items && { items: closed(items) }),
    ...(additionalProperties && { additionalProperties: closed(additionalProperties) }),
    ...(properties && { properties: mapValues(properties as Readonly<Record<string, Schema>>, closed) }),
    ...(properties && !isOpen && { additionalProperties: false }),
  };
}

function mapValues(map: Readonly<Record<string, Schema>>, change: (value: Schema) => Schema): Schema {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/**
 * Whether the key is an extension of Kubernetes, which JSON Schema does not have. No validator checks formats such as
 * int32.
 */
function isForeign(key: string): boolean {
  return key === 'format' || key.startsWith('x-kubernetes-');
}
