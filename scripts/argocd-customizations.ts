/** Writes config/argocd/argocd-cm.yaml, the health checks and actions for Argo CD, from its Lua files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUP } from '../src/model/kind.ts';
import { writeYaml } from '../src/model/yaml/yaml.ts';
import { kinds } from '../src/schema/kinds.ts';

const FOLDER = join(import.meta.dirname, '../config/argocd/resource_customizations', GROUP);
/** The folder for every kind of a group, in the layout of Argo CD. */
const ANY_KIND = '_';

/** The text of config/argocd/argocd-cm.yaml. */
export function argocdCustomizations(): string {
  const health = read(ANY_KIND, 'health.lua');
  const entries = kinds.flatMap(({ kind }) => [
    [`resource.customizations.health.${GROUP}_${kind}`, health],
    ...actionsOf(kind),
  ]);
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd' },
    data: Object.fromEntries(entries),
  };
  return writeYaml(configMap);
}

function actionsOf(kind: string): (readonly [string, string])[] {
  if (!readdirSync(FOLDER).includes(kind)) return [];
  const names = readdirSync(join(FOLDER, kind, 'actions'))
    .filter((name) => !name.endsWith('.lua'))
    .toSorted();
  const actions = {
    'discovery.lua': read(kind, 'actions', 'discovery.lua'),
    definitions: names.map((name) => ({ name, 'action.lua': read(kind, 'actions', name, 'action.lua') })),
  };
  return [[`resource.customizations.actions.${GROUP}_${kind}`, writeYaml(actions)]];
}

function read(...path: readonly string[]): string {
  return readFileSync(join(FOLDER, ...path), 'utf8');
}
