/** Generates the CustomResourceDefinition of a kind, and the kustomization of all of them. */
import { GROUP, VERSIONS } from '../src/model/kind.ts';
import { writeYaml } from '../src/model/yaml/yaml.ts';
import { kinds } from '../src/schema/kinds.ts';
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
      // Absent, the strategy of the API server is the same: None.
      versions: VERSIONS.map(({ name, storage }) => ({
        name,
        served: true,
        storage,
        additionalPrinterColumns: kind.columns,
        ...(kind.selectableFields.length > 0 && {
          selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })),
        }),
        subresources: { status: {} },
        schema: { openAPIV3Schema: objectSchema(kind) },
      })),
    },
  };
}

/** Its name has no ending, so that `kubectl apply -f crds/` takes the definitions alone. */
export function definitionsKustomization(): string {
  const labels = '# With a definition go all objects of its kind. So what installs the rest does not take it away.\n';
  const of = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };
  const kept = {
    labels: [{ pairs: { 'vexil.dev/keep': 'true' } }],
    commonAnnotations: {
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
    },
  };
  return (
    writeYaml({ ...of, resources: kinds.map(({ plural }) => `${plural}.yaml`).toSorted() }) + labels + writeYaml(kept)
  );
}
