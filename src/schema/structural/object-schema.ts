/** The schema of whole objects of a kind, as in its CustomResourceDefinition. */
import type { Kind } from '../../model/kind.ts';
import { type StructuralSchema, structuralSchema } from './structural-schema.ts';

export type AnyKind = Kind<never, never> | Kind<unknown, unknown>;

export function objectSchema(kind: AnyKind): StructuralSchema {
  const spec = { ...structuralSchema(kind.spec, `${kind.kind}.spec`), nullable: true };
  const status = structuralSchema(kind.status, `${kind.kind}.status`);
  return {
    description: kind.description,
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 253 } } },
      spec: { ...spec, description: 'The desired state.' },
      status: { ...status, description: 'The observed state; written by the operator only.' },
    },
    'x-kubernetes-validations': kind.rootRules.map((rule) => ({ ...rule })),
  };
}
