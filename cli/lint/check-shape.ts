/** Compares an object with the schema of its kind, which allows no unknown field. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { nearest } from '../../src/model/edit-distance.ts';
import { truncate } from '../../src/model/text.ts';
import { editorSchema, OBJECT_META } from '../../src/schema/structural/editor-schema.ts';
import type { StructuralSchema } from '../../src/schema/structural/structural-schema.ts';
import { pathText } from '../manifests/field-path.ts';
import { type FieldFinding, firstFindings } from './finding.ts';

/** Longer values do not help. */
const MAX_SHOWN = 80;

export type CheckShape = (value: unknown) => readonly FieldFinding[];

/** `schema` is the structural schema of the whole object. */
export function shapeChecker(kind: string, schema: StructuralSchema): CheckShape {
  return checkerOf(editorSchema(kind, schema));
}

/** Checks only the fields that objects of all kinds have. */
export function metadataChecker(): CheckShape {
  return checkerOf({ properties: { metadata: OBJECT_META } });
}

/**
 * The schemas are those of this program. To check them, and to shorten code that runs for few objects, would take a
 * quarter of the time of `lint`.
 */
const unchecked = { validateSchema: false, meta: false, code: { optimize: false } };

function checkerOf(schema: object): CheckShape {
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true, ...unchecked });
  formats.default(ajv, ['date-time']);
  const validate: ValidateFunction = ajv.compile(schema);
  return (value) => {
    validate(value);
    return firstFindings(validate.errors ?? [], findingOf);
  };
}

function findingOf(error: ErrorObject): FieldFinding {
  const path = keysOf(error.instancePath);
  if (error.keyword === 'additionalProperties') {
    const unknown = [...path, String(error.params['additionalProperty'])];
    return { severity: 'error', path: unknown, rule: 'schema', message: unknownField(unknown, error) };
  }
  if (error.keyword === 'required') {
    const missing = [...path, String(error.params['missingProperty'])];
    return { severity: 'error', path: missing, rule: 'schema', message: `${pathText(missing)} is required` };
  }
  return { severity: 'error', path, rule: 'schema', message: `${pathText(path)} ${complaintOf(error)}` };
}

function unknownField(path: readonly string[], { parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {});
  const near = nearest(path.at(-1) ?? '', known);
  return `unknown field ${pathText(path)}${near === undefined ? '' : `, the nearest one is ${near}`}`;
}

function complaintOf({ keyword, params, message = 'is invalid', data }: ErrorObject): string {
  const shown = `, it is ${truncate(JSON.stringify(data) ?? '', MAX_SHOWN)}`;
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}${shown}`;
  return `${message}${shown}`;
}

/** The keys of a JSON pointer. */
function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
