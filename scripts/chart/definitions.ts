/** Generates the CRDs of the chart, which Helm upgrades and never deletes. */
import { writeYaml } from '../../src/model/yaml/yaml.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { customResourceDefinition } from '../crd.ts';

/**
 * Returns file names with their texts. They are files, not templates, because descriptions may contain template syntax.
 */
export function chartDefinitions(): readonly (readonly [name: string, text: string])[] {
  return kinds.map((kind) => {
    const { metadata, ...rest } = customResourceDefinition(kind);
    const annotations = { 'helm.sh/resource-policy': 'keep' };
    const labels = { 'app.kubernetes.io/name': 'vexil', 'app.kubernetes.io/part-of': 'vexil' };
    const definition = { ...rest, metadata: { ...metadata, labels, annotations } };
    const text = writeYaml(definition);
    return [`${kind.plural}.yaml`, text] as const;
  });
}
