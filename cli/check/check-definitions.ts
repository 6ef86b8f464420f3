/** The CRDs: whether they are there, served, and those of this version. */

import { recordOf, recordsIn } from '../../src/model/json.ts';
import { GROUP, VERSIONS } from '../../src/model/kind.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { type AnyKind, objectSchema } from '../../src/schema/structural/object-schema.ts';
import { type Check, type CheckedCluster, type CheckResult, fine, firstOf, type ReadObject } from './check.ts';

const DEFINITIONS = { plural: 'customresourcedefinitions', root: 'apis/apiextensions.k8s.io/v1' };
const APPLY = 'kubectl apply --server-side --force-conflicts -f crds/';
/** Fields that a message names. */
const MAX_NAMED = 3;

export const checkDefinitions: Check = async ({ cluster }) => {
  const results = [];
  for (const kind of kinds) results.push(...(await checkDefinition(cluster, kind)));
  return results.length > 0 ? results : [fine(`${kinds.length} CRDs are those of this version`)];
};

/** Returns only what is wrong. */
async function checkDefinition(cluster: CheckedCluster, kind: AnyKind): Promise<readonly CheckResult[]> {
  const name = `${kind.plural}.${GROUP}`;
  const found = await cluster.get({ kind: DEFINITIONS, name });
  if (found === undefined) return [{ verdict: 'error', message: `the CRD ${name} is missing`, mend: APPLY }];
  const conditions = recordsIn(recordOf(found['status'])['conditions']);
  const isEstablished = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  if (!isEstablished) {
    const mend = `kubectl describe crd ${name}`;
    return [{ verdict: 'error', message: `the API server does not serve the CRD ${name} (not Established)`, mend }];
  }
  const served = recordsIn(recordOf(found['spec'])['versions']).filter((one) => one['served'] === true);
  const missing = VERSIONS.find(({ name: version }) => !served.some((one) => one['name'] === version));
  if (missing !== undefined)
    return [{ verdict: 'error', message: `the CRD ${name} does not serve ${GROUP}/${missing.name}`, mend: APPLY }];
  const schemas = served.map((one) => recordOf(recordOf(one['schema'])['openAPIV3Schema']));
  // All versions should have the same schema: one result is enough.
  return schemas.flatMap((schema) => compareSchemas(name, objectSchema(kind), schema)).slice(0, 1);
}

function compareSchemas(name: string, wanted: object, present: ReadObject): readonly CheckResult[] {
  const [ours, theirs] = [fieldsOf(wanted), fieldsOf(present)];
  const [missing, unknown] = [ours.difference(theirs), theirs.difference(ours)];
  if (missing.size > 0) {
    const message = `the CRD ${name} is older than this version: it lacks ${firstOf([...missing], MAX_NAMED)}`;
    return [{ verdict: 'error', message, mend: APPLY }];
  }
  if (unknown.size === 0) return [];
  const message = `the CRD ${name} is newer than this program: it has ${firstOf([...unknown], MAX_NAMED)}`;
  return [{ verdict: 'warning', message, mend: 'use the command line of the version that is installed' }];
}

/** The paths of all fields below the spec, with `*` for keys of maps and items of lists. */
function fieldsOf(schema: object): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    const { properties, items, additionalProperties } = recordOf(value);
    for (const [key, below] of Object.entries(recordOf(properties))) {
      const field = path === '' ? key : `${path}.${key}`;
      found.add(field);
      visit(below, field);
    }
    for (const below of [items, additionalProperties]) if (below !== undefined) visit(below, `${path}.*`);
  };
  const { spec } = recordOf(recordOf(schema)['properties']);
  visit({ properties: { spec } }, '');
  return found;
}
