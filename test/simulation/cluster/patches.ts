/** The patches that the operator sends. */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { isRecord } from '../../../src/model/json.ts';
import { StatusError } from './answers.ts';
import type { FieldSet, KubeObject, ManagedFields } from './etcd.ts';
import { changedFields, fieldsOf, without } from './managed-fields.ts';

/** A patch that does not apply is refused without causes, before versions are compared. */
export function jsonPatched(live: KubeObject, operations: readonly Operation[]): KubeObject {
  try {
    const lenient = operations.map((operation) => withoutReplacing(live, operation));
    return jsonPatch.applyPatch(structuredClone(live), lenient, true, true, true).newDocument;
  } catch {
    throw new StatusError(422, 'Invalid', 'the server rejected our request due to an error in our request');
  }
}

/** The API server takes the replacement of a member that is missing for an addition. */
function withoutReplacing(live: KubeObject, operation: Operation): Operation {
  const parent = operation.path.slice(0, operation.path.lastIndexOf('/'));
  const isMember = operation.op === 'replace' && isRecord(jsonPatch.getValueByPointer(live, parent));
  return isMember ? { ...operation, op: 'add' } : operation;
}

/** RFC 7386. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

interface Apply {
  readonly manager: string;
  readonly isForced: boolean;
  readonly subresource: 'status' | undefined;
}

/**
 * Server-side apply: sets what is applied, and removes what the manager had applied before if no other manager owns it.
 * Lists are replaced as a whole.
 */
export function applied(live: KubeObject, sent: KubeObject, { manager, isForced, subresource }: Apply): KubeObject {
  const entries = live.metadata.managedFields ?? [];
  const own = entries.find((entry) => isOwn(entry, manager, subresource));
  const others = entries.filter((entry) => entry !== own);
  const next = merged(live, sent) as KubeObject;
  if (!isForced) refuseConflicts(others, changedFields(live, next));
  const dropped = without(own?.fieldsV1 ?? {}, fieldsOf(sent));
  const unowned =
    dropped && others.reduce<FieldSet | undefined>((left, { fieldsV1 }) => left && without(left, fieldsV1), dropped);
  return unowned === undefined ? next : (withoutFields(next, unowned) as KubeObject);
}

function isOwn(entry: ManagedFields, manager: string, subresource: 'status' | undefined): boolean {
  return entry.operation === 'Apply' && entry.manager === manager && entry.subresource === subresource;
}

function refuseConflicts(others: readonly ManagedFields[], changed: FieldSet): void {
  const owner = others.find(
    ({ fieldsV1 }) => JSON.stringify(without(changed, fieldsV1) ?? {}) !== JSON.stringify(changed),
  );
  if (owner === undefined || Object.keys(changed).length === 0) return;
  const message = `Apply failed with 1 conflict: conflict with "${owner.manager}"`;
  throw new StatusError(409, 'Conflict', message, [{ reason: 'FieldManagerConflict', message }]);
}

function withoutFields(value: unknown, fields: FieldSet): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const below = fields[`f:${name}`];
    if (below === undefined) return [[name, member]];
    if (Object.keys(below).length === 0) return [];
    const rest = withoutFields(member, below);
    return isRecord(rest) && Object.keys(rest).length === 0 ? [] : [[name, rest]];
  });
  return Object.fromEntries(kept);
}
