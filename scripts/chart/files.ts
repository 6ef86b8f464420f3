/** Generates all generated files of the chart vexil. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeYaml } from '../../src/model/yaml/yaml.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { customResourceDefinition } from '../crd.ts';
import { chartAdmission } from './admission.ts';
import { chartMetadata } from './metadata.ts';
import { rulesOf } from './monitoring-rules.ts';
import { chartReadme } from './readme.ts';
import { chartSettings } from './settings.ts';
import { asTemplateText, configDocument, configDocuments, headOf, namedTemplate, templateHeadOf } from './template.ts';
import { valueRows } from './value-rows.ts';
import { valuesSchema } from './values.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Returns paths, relative to the repository, with their texts. */
export function chartFiles(): ReadonlyMap<string, string> {
  const rows = valueRows(read('charts/vexil/values.yaml'));
  const files = {
    'Chart.yaml': headOf('package.json and scripts/chart/metadata.ts') + chartMetadata(),
    'README.md': chartReadme(rows),
    'values.schema.json': valuesSchema(rows),
    'templates/_rules.tpl': templateHeadOf('config/rbac') + chartRules(),
    'templates/_admission.tpl': templateHeadOf('config/admission') + chartAdmission(),
    'templates/_settings.tpl': templateHeadOf('src/config/settings.ts') + chartSettings(),
    'files/rules.yaml': rulesOf('config/monitoring/rules.yaml'),
    'files/dashboard.json': read('config/monitoring/dashboard.json'),
    ...Object.fromEntries(
      chartDefinitions().map(([name, text]) => [`files/crds/${name}`, headOf('src/schema') + text]),
    ),
  };
  return new Map(Object.entries(files).map(([path, text]) => [`charts/vexil/${path}`, text]));
}

/**
 * Returns file names with their texts. They are files, not templates, because descriptions may contain template syntax.
 */
function chartDefinitions(): readonly (readonly [name: string, text: string])[] {
  return kinds.map((kind) => {
    const { metadata, ...rest } = customResourceDefinition(kind);
    const annotations = { 'helm.sh/resource-policy': 'keep' };
    const labels = { 'app.kubernetes.io/name': 'vexil', 'app.kubernetes.io/part-of': 'vexil' };
    const definition = { ...rest, metadata: { ...metadata, labels, annotations } };
    const text = writeYaml(definition);
    return [`${kind.plural}.yaml`, text] as const;
  });
}

/** Returns the named templates with the rules of the operator and of people. */
function chartRules(): string {
  const rulesOf = (path: string, kind: string) => asTemplateText(configDocument(path, kind).get('rules'));
  return [
    namedTemplate('vexil.rules.home', rulesOf('rbac/home.yaml', 'Role')),
    namedTemplate('vexil.rules.watched', rulesOf('rbac/watched.yaml', 'Role')),
    namedTemplate('vexil.rules.everywhere', rulesOf('rbac/everywhere.yaml', 'ClusterRole')),
    namedTemplate('vexil.rules.sinkSecrets', rulesOf('rbac/opt-in/notification-secrets.yaml', 'Role')),
    namedTemplate('vexil.people', asTemplateText(people())),
  ].join('\n');
}

/** The roles for people, by name; labels aggregate them into the built-in roles of Kubernetes. */
function people(): object {
  const roles = configDocuments('rbac/people.yaml');
  return Object.fromEntries(
    roles.map((role) => [
      role.getIn(['metadata', 'name']),
      { labels: role.getIn(['metadata', 'labels']), rules: role.get('rules') },
    ]),
  );
}
