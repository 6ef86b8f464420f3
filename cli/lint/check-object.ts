/** Checks one object by itself, as the API server does when it is created. */
import { registry } from '../../src/kinds/registry.ts';
import type { KindName } from '../../src/schema/kinds.ts';
import { objectSchema } from '../../src/schema/structural/object-schema.ts';
import { repeatedEntries } from './check-lists.ts';
import { metadataFindings } from './check-metadata.ts';
import { brokenRules } from './check-rules.ts';
import { type CheckShape, shapeChecker } from './check-shape.ts';
import { type FieldFinding, firstFindings } from './finding.ts';

export type CheckObject = (kind: KindName, value: unknown) => readonly FieldFinding[];

/** Reads the schema of a kind when its first object is checked. Checks rules only for objects that match the schema. */
export function objectChecker(): CheckObject {
  const checks = new Map<KindName, CheckShape>();
  return (kind, value) => {
    const check = checks.get(kind) ?? checkerOf(kind);
    checks.set(kind, check);
    return firstFindings([...metadataFindings(value), ...check(value)], (finding) => finding);
  };
}

function checkerOf(name: KindName): CheckShape {
  const { kind } = registry[name];
  const schema = objectSchema(kind);
  const checkShape = shapeChecker(kind.kind, schema);
  return (value) => {
    const wrong = [...checkShape(value), ...repeatedEntries(schema, value)];
    return wrong.length > 0 ? wrong : brokenRules(schema, value);
  };
}
