/** The objects of Vexil: whether any is not Ready. */
import { recordOf, recordsIn } from '../../src/model/json.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { metadataOf } from '../manifests/ref.ts';
import { type Check, type CheckResult, fine, type ReadObject } from './check.ts';

export const checkObjects: Check = async ({ cluster, installation }) => {
  const results: CheckResult[] = [];
  let count = 0;
  for (const kind of kinds) {
    const place = kind.namespaces === 'operator' ? installation.namespace : undefined;
    const objects = await cluster.list(kind, place);
    count += objects.length;
    const [first, ...more] = objects.filter((object) => readyOf(object)?.['status'] === 'False');
    if (first === undefined) continue;
    const { namespace, name } = metadataOf(first);
    const message = `${more.length + 1} of ${objects.length} ${kind.plural} are not Ready, such as ${namespace}/${name}: ${readyOf(first)?.['reason']}`;
    const where = place === undefined ? '-A' : `-n ${place}`;
    results.push({ verdict: 'warning', message, mend: `kubectl get ${kind.plural} ${where}` });
  }
  return results.length > 0 ? results : [fine(`${count} objects of Vexil, none of which is not Ready`)];
};

function readyOf(object: ReadObject): ReadObject | undefined {
  return recordsIn(recordOf(object['status'])['conditions']).find(({ type }) => type === 'Ready');
}
