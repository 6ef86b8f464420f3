/** Generates the CustomResourceDefinition of a kind. */
import { GROUP, VERSION } from '../src/model/kind.ts';
import { type AnyKind, objectSchema } from '../src/schema/structural/object-schema.ts';

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
