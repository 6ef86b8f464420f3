/** Parses objects from the API server into the form that the rest of the program uses. */
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { cutDeep, deepFields, MAX_DEPTH } from '../../model/depth.ts';
import { isRecord, recordOf } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { CustomObject, Defect, FieldOwner, ObjectMetadata } from '../../model/object.ts';
import { truncate } from '../../model/text.ts';
import { withoutNulls } from '../../model/without-nulls.ts';
import { fieldSetOf, unionOf } from './field-set.ts';
import { createInterner } from './interner.ts';
import { LAST_APPLIED } from './last-applied.ts';
import { asRawObject, type RawMetadata } from './raw-object.ts';

const MAX_DEFECTS = 20;
const MAX_VALUE_LENGTH = 80;
const TOO_DEEP = `the value is nested deeper than ${MAX_DEPTH} levels, counted from spec: flatten it, or remove it`;

/**
 * Parses an object. Parts of the spec that the schema rejects are left out and reported as defects. Values nested too
 * deep are cut first, so that recursive code never sees them. Shares the spec of an earlier version, `known`, if it is
 * the same: in about every second version, only the status differs.
 */
export function parseObject<Spec, Status>(
  kind: Kind<Spec, Status>,
  value: unknown,
  known?: CustomObject<Spec, Status>,
): CustomObject<Spec, Status> {
  const raw = asRawObject(value);
  return {
    metadata: parseMetadata(raw.metadata),
    ...parsedSpecOf(kind, raw.spec, known),
    status: parseStatus(kind, raw.status),
    owners: parseOwners(raw.metadata.managedFields ?? []),
  };
}

type SpecParts<Spec> = Pick<CustomObject<Spec, unknown>, 'spec' | 'rawSpec' | 'defects'>;

function parsedSpecOf<Spec>(
  kind: Kind<Spec, unknown>,
  value: unknown,
  known: SpecParts<Spec> | undefined,
): SpecParts<Spec> {
  const rawSpec = cutDeep(value);
  if (known && isDeepStrictEqual(known.rawSpec, rawSpec)) {
    return { spec: known.spec, rawSpec: known.rawSpec, defects: known.defects };
  }
  const tooDeep = deepFields(value).map((path): Defect => ({ path, message: TOO_DEEP }));
  return { rawSpec, ...parseSpec(kind, rawSpec, tooDeep) };
}

function parseMetadata(raw: RawMetadata): ObjectMetadata {
  return {
    namespace: raw.namespace,
    name: raw.name,
    uid: raw.uid,
    resourceVersion: raw.resourceVersion,
    generation: raw.generation ?? 0,
    creationTimestamp: raw.creationTimestamp ?? '',
    ...(raw.deletionTimestamp === undefined ? {} : { deletionTimestamp: raw.deletionTimestamp }),
    ...(raw.labels === undefined ? {} : { labels: raw.labels }),
    ...(raw.annotations === undefined ? {} : { annotations: withoutLastApplied(raw.annotations) }),
  };
}

/** Drops the value, a whole copy of the object: only the presence of the annotation matters. */
function withoutLastApplied(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return LAST_APPLIED in annotations ? { ...annotations, [LAST_APPLIED]: '' } : annotations;
}

interface ParsedSpec<Spec> {
  readonly spec: Spec;
  readonly defects: readonly Defect[];
}

function parseSpec<Spec>(kind: Kind<Spec, unknown>, raw: unknown, tooDeep: readonly Defect[]): ParsedSpec<Spec> {
  const defects = tooDeep.slice(0, MAX_DEFECTS);
  const items = tooDeep.map(({ path }) => itemOf(kind, path));
  let candidate = withoutNulls(items.reduce(withoutPart, raw ?? {}), kind.preserveNulls);
  // The schema reports issues of one depth at a time, so leaving parts out may reveal more. Each round leaves out at
  // least one part or ends.
  for (;;) {
    const result = kind.spec.safeParse(candidate);
    // The parsed JSON itself, not zod's copy: it shares its memory with `rawSpec`.
    if (result.success) return { spec: candidate as Spec, defects };
    const found = result.error.issues.flatMap((issue) => defectsOf(issue, candidate));
    defects.push(...found.slice(0, MAX_DEFECTS - defects.length));
    const rest = withoutParts(candidate, found, kind.independentMaps);
    if (rest === undefined) return { spec: {} as Spec, defects };
    candidate = rest;
  }
}

/** The smallest part around a path that can be left out alone. */
function itemOf({ items = [], independentMaps }: Kind<unknown, unknown>, path: readonly string[]): readonly string[] {
  const map = items.find(({ at }) => at.every((key, depth) => key === '*' || path[depth] === key));
  const length = map ? map.at.length + 1 : Number(independentMaps.includes(path[0] ?? '')) + 1;
  return path.slice(0, length);
}

function withoutPart(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isRecord(value) || !Object.hasOwn(value, key)) return value;
  return rest.length === 0 ? without(value, key) : { ...value, [key]: withoutPart(value[key], rest) };
}

/**
 * Leaves out an entry of an independent map, otherwise a top-level member; undefined if leaving parts out does not
 * help.
 */
function withoutParts(spec: unknown, defects: readonly Defect[], independentMaps: readonly string[]): unknown {
  if (!isRecord(spec)) return undefined;
  const isEntry = (value: unknown, [top = '', entry]: readonly string[]): boolean => {
    const map = isRecord(value) && independentMaps.includes(top) ? value[top] : undefined;
    return entry !== undefined && isRecord(map) && entry in map;
  };
  let rest: unknown = spec;
  for (const { path } of defects) {
    const [top] = path;
    if (top === undefined || !(top in spec)) return undefined;
    if (isEntry(rest, path)) rest = withoutPart(rest, path.slice(0, 2));
    // An earlier defect of the same entry may have removed it.
    else if (!isEntry(spec, path)) rest = withoutPart(rest, [top]);
  }
  return rest;
}

function without(record: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function defectsOf(issue: z.core.$ZodIssue, spec: unknown): Defect[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'Unknown field' }));
  }
  const value = path.reduce<unknown>((at, key) => (isStep(at) ? at[key] : undefined), spec);
  return [{ path, message: value === undefined ? issue.message : `${issue.message} (it is ${show(value)})` }];
}

function isStep(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function show(value: unknown): string {
  return truncate(JSON.stringify(value) ?? '', MAX_VALUE_LENGTH);
}

/**
 * Treats a status that the schema rejects (written under another schema) as absent until it is written again. The
 * members in `preservedStatus` are kept, because they cannot be recomputed.
 */
function parseStatus<Status>(kind: Kind<unknown, Status>, raw: unknown): Status | undefined {
  const candidate = withoutNulls(cutDeep(raw), []);
  if (kind.status.safeParse(candidate).success) return candidate as Status;
  const kept = Object.entries(recordOf(candidate)).filter(([key]) => kind.preservedStatus.includes(key));
  const preservedStatus = Object.fromEntries(kept);
  return kept.length > 0 && kind.status.safeParse(preservedStatus).success ? (preservedStatus as Status) : undefined;
}

/** Field sets and managers: most objects of a kind have the same ones, and a field set is longer than a small spec. */
const interned = createInterner();

/** The API server keeps an entry for each API version in which a manager has written by Update: one owner here. */
function parseOwners(entries: readonly unknown[]): FieldOwner[] {
  const owners = Map.groupBy(entries.flatMap(ownerOf), ({ manager, operation }) => `${operation} ${manager}`);
  return [...owners.values()].map((parts) => parts.reduce(together));
}

function ownerOf(entry: unknown): FieldOwner[] {
  if (!isRecord(entry) || entry['subresource'] || !isRecord(entry['fieldsV1'])) return [];
  // Fields below the cut of a spec have no owners.
  const fields = cutDeep(entry['fieldsV1']['f:spec']);
  if (fields === undefined) return [];
  const time = entry['time'];
  return [
    {
      manager: interned(String(entry['manager'] ?? '')),
      operation: entry['operation'] === 'Apply' ? 'Apply' : 'Update',
      time: typeof time === 'string' ? time : undefined,
      fields: interned(JSON.stringify(fields)),
    },
  ];
}

function together(one: FieldOwner, other: FieldOwner): FieldOwner {
  const fields = unionOf(fieldSetOf(one), fieldSetOf(other));
  const time = (one.time ?? '') < (other.time ?? '') ? other.time : one.time;
  return { ...one, time, fields: interned(JSON.stringify(fields)) };
}
