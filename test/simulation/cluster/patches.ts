/** The patches that the operator sends. */
import jsonPatch, { type Operation } from 'fast-json-patch';
import { isRecord } from '../../../src/model/json.ts';
import { inapplicable } from './answers.ts';
import type { FieldSet, KubeObject } from './etcd.ts';
import { fieldsOf, isOf, type Writer, without } from './managed-fields.ts';

/** A patch that does not apply is refused without causes, before versions are compared. */
export function jsonPatched(live: KubeObject, operations: readonly Operation[]): KubeObject {
  try {
    const lenient = operations.map((operation) => withoutReplacing(live, operation));
    return jsonPatch.applyPatch(structuredClone(live), lenient, true, true, true).newDocument;
  } catch {
    throw inapplicable();
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

/**
 * Forced server-side apply: sets what is applied, and removes what the manager had applied before if no other manager
 * owns it. Lists are replaced as a whole.
 */
export function applied(live: KubeObject, sent: KubeObject, writer: Writer): KubeObject {
  const entries = live.metadata.managedFields ?? [];
  const own = entries.find((entry) => isOf(entry, writer));
  const others = entries.filter((entry) => entry !== own);
  const next = merged(live, sent) as KubeObject;
  const dropped = without(own?.fieldsV1 ?? {}, fieldsOf(sent));
  const unowned =
    dropped && others.reduce<FieldSet | undefined>((left, { fieldsV1 }) => left && without(left, fieldsV1), dropped);
  return unowned === undefined ? next : (withoutFields(next, unowned) as KubeObject);
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
