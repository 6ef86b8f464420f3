/** Generates the CustomResourceDefinition of a kind. */
import { GROUP, type Kind, VERSION } from '../src/model/kind.ts';
import { type StructuralSchema, structuralSchema } from './structural-schema.ts';

type AnyKind = Kind<never, never> | Kind<unknown, unknown>;

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

export function customResourceDefinition(kind: AnyKind) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: ['vexil'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: kind.columns,
          ...(kind.selectableFields.length > 0 && {
            selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })),
          }),
          subresources: { status: {} },
          schema: { openAPIV3Schema: objectSchema(kind) },
        },
      ],
    },
  };
}
