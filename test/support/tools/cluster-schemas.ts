/** Schemas for kubeconform, made from what an API server says of its own kinds. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of a schema, whatever there is. */
type Schema = Readonly<Record<string, unknown>>;

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What `/openapi/v2` answers, as far as it matters. */
export interface OpenApi {
  readonly definitions: Readonly<Record<string, Schema>>;
}

const REFERENCE = '#/definitions/';
const GVK = 'x-kubernetes-group-version-kind';

/** These are texts or numbers, which the document cannot say. */
const TEXT_OR_NUMBER = /\.(IntOrString|Quantity)$/;

/** Where kubeconform finds what `writeClusterSchemas` writes; it takes the version of core for a group as well. */
export function schemaLocation(folder: string): string {
  return join(folder, '{{ .Group }}_{{ .ResourceAPIVersion }}_{{ .ResourceKind }}.json');
}

/** One file for each kind that the server has and that is wanted; fields that it does not know are refused. */
export async function writeClusterSchemas(
  folder: string,
  { definitions }: OpenApi,
  isWanted: (kind: string) => boolean,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, schema] of Object.entries(definitions)) {
    const [gvk, ...more] = (schema[GVK] ?? []) as readonly GroupVersionKind[];
    // Options of deletions and the like belong to every group.
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

/** With no other fields than those that are named, where any are named. */
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

/** Words of Kubernetes, which JSON Schema does not have; no validator checks formats such as int32. */
function isForeign(key: string): boolean {
  return key === 'format' || key.startsWith('x-kubernetes-');
}
