/** Values of an older definition of a kind that a newer one would refuse or drop. */
import type { StructuralSchema } from '../../../src/schema/structural/structural-schema.ts';

export interface Definition {
  readonly spec: {
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
    readonly versions: readonly DefinitionVersion[];
  };
}

interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** The same place in two definitions. */
interface Step {
  readonly path: string;
  readonly before: StructuralSchema;
  readonly after: StructuralSchema;
}

/**
 * Returns sentences that begin with the kind. If there are none, everything that was stored stays and can be written
 * again.
 */
export function narrowedDefinition(before: Definition, after: Definition | undefined): readonly string[] {
  const { kind } = before.spec.names;
  if (after === undefined) return [`${kind} is gone`];
  const renamed = ['scope', 'names.kind', 'names.plural'].filter((field) => at(before, field) !== at(after, field));
  const aliases = (before.spec.names.shortNames ?? []).filter((name) => !after.spec.names.shortNames?.includes(name));
  return [
    ...renamed.map((field) => `${kind}: spec.${field} is another`),
    ...aliases.map((name) => `${kind}: the short name ${name} is gone`),
    ...before.spec.versions.filter(({ served }) => served).flatMap((version) => narrowedVersion(kind, version, after)),
  ];
}

function at({ spec }: Definition, field: string): string {
  return { scope: spec.scope, 'names.kind': spec.names.kind, 'names.plural': spec.names.plural }[field] ?? '';
}

function narrowedVersion(kind: string, before: DefinitionVersion, { spec }: Definition): readonly string[] {
  const after = spec.versions.find(({ name, served }) => served && name === before.name);
  if (after === undefined) return [`${kind}: the version ${before.name} is not served`];
  const selectable = after.selectableFields?.map(({ jsonPath }) => jsonPath) ?? [];
  const lost = (before.selectableFields ?? []).filter(({ jsonPath }) => !selectable.includes(jsonPath));
  const step = { path: kind, before: before.schema.openAPIV3Schema, after: after.schema.openAPIV3Schema };
  return [...lost.map(({ jsonPath }) => `${kind}: ${jsonPath} can be selected by no more`), ...narrowed(step)];
}

function narrowed(step: Step): readonly string[] {
  const own = [otherTypes, otherValues, tighterBounds, newTexts, newlyRequired, otherLists, newRules];
  return [
    ...own.flatMap((find) => find(step).map((what) => `${step.path}: ${what}`)),
    ...lostFields(step),
    ...inside(step).flatMap(narrowed),
  ];
}

function otherTypes({ before, after }: Step): string[] {
  const intOrString = 'x-kubernetes-int-or-string';
  return [
    ...(before.type === after.type ? [] : [`the type was ${before.type}, is ${after.type}`]),
    ...(before.nullable && !after.nullable ? ['null is refused'] : []),
    ...(before[intOrString] === after[intOrString] ? [] : ['what is a number or a text is another']),
  ];
}

function otherValues({ before, after }: Step): string[] {
  if (after.enum === undefined) return [];
  if (before.enum === undefined) return ['only some values are allowed'];
  const lost = before.enum.filter((value) => !after.enum?.includes(value));
  return lost.map((value) => `${JSON.stringify(value)} is refused`);
}

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER = ['minimum', 'minLength'] as const;

function tighterBounds({ before, after }: Step): string[] {
  const lowered = UPPER.filter((bound) => (after[bound] ?? Infinity) < (before[bound] ?? Infinity));
  const raised = LOWER.filter((bound) => (after[bound] ?? -Infinity) > (before[bound] ?? -Infinity));
  return [...lowered, ...raised].map((bound) => `${bound} was ${before[bound] ?? 'none'}, is ${after[bound]}`);
}

/** The comparison does not decide whether one pattern accepts all that another one accepts: a person must state it. */
function newTexts({ before, after }: Step): string[] {
  const changed = (['pattern', 'format'] as const).filter((word) => after[word] && after[word] !== before[word]);
  return changed.map((word) => `${word} was ${before[word] ?? 'none'}, is ${after[word]}`);
}

function newlyRequired({ before, after }: Step): string[] {
  const names = (after.required ?? []).filter((name) => !before.required?.includes(name));
  return names.map((name) => `${name} is required`);
}

function otherLists({ before, after }: Step): string[] {
  const word = 'x-kubernetes-list-type';
  return before[word] === after[word]
    ? []
    : [`the list was ${before[word] ?? 'atomic'}, is ${after[word] ?? 'atomic'}`];
}

function newRules({ before, after }: Step): string[] {
  const known = new Set((before['x-kubernetes-validations'] ?? []).map(({ rule }) => rule));
  const added = (after['x-kubernetes-validations'] ?? []).filter(({ rule }) => !known.has(rule));
  return added.map(({ message, fieldPath }) => `a new rule${fieldPath ? ` at ${fieldPath}` : ''}: ${message}`);
}

/** The API server drops a field that has no property any more with the next write. */
function lostFields({ path, before, after }: Step): string[] {
  const keepsUnknown = after['x-kubernetes-preserve-unknown-fields'] === true;
  const names = Object.keys(before.properties ?? {}).filter((name) => !after.properties?.[name]);
  const lost = keepsUnknown ? [] : names.map((name) => `${path}.${name} is gone`);
  const unknown = before['x-kubernetes-preserve-unknown-fields'] && !keepsUnknown ? [`${path}: other fields go`] : [];
  const free = before.additionalProperties && !after.additionalProperties ? [`${path}: its entries go`] : [];
  return [...lost, ...unknown, ...free];
}

function inside({ path, before, after }: Step): Step[] {
  const pairs: [string, StructuralSchema | undefined, StructuralSchema | undefined][] = [
    ...Object.keys(before.properties ?? {}).map(
      (name) => [`${path}.${name}`, before.properties?.[name], after.properties?.[name]] as (typeof pairs)[number],
    ),
    [`${path}[]`, before.items, after.items],
    [`${path}.*`, before.additionalProperties, after.additionalProperties],
  ];
  return pairs.flatMap(([place, old, now]) => (old && now ? [{ path: place, before: old, after: now }] : []));
}
