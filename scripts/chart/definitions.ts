/** Makes the resource definitions of the chart: those of crds/, which Helm upgrades and never deletes. */
import { stringify } from 'yaml';
import { kinds } from '../../src/schema/kinds.ts';
import { customResourceDefinition } from '../crd.ts';

/** File names with their texts. They are no templates: nothing in a description may mean something to Helm. */
export function chartDefinitions(): readonly (readonly [name: string, text: string])[] {
  return kinds.map((kind) => {
    const { metadata, ...rest } = customResourceDefinition(kind);
    const annotations = { 'helm.sh/resource-policy': 'keep' };
    const labels = { 'app.kubernetes.io/name': 'vexil', 'app.kubernetes.io/part-of': 'vexil' };
    const definition = { ...rest, metadata: { ...metadata, labels, annotations } };
    const text = stringify(definition, { aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: false });
    return [`${kind.plural}.yaml`, text] as const;
  });
}
