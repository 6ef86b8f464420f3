/** Generates all generated files of the chart vexil. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeYaml } from '../../src/model/yaml/yaml.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { customResourceDefinition } from '../crd.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { chartAdmission } from './admission.ts';
import { chartMetadata } from './metadata.ts';
import { rulesOf } from './monitoring-rules.ts';
import { chartReadme } from './readme.ts';
import { chartSettings } from './settings.ts';
import { asTemplateText, configDocument, configDocuments, namedTemplate } from './template.ts';
import { valueRows } from './value-rows.ts';
import { valuesSchema } from './values.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

export function chartFiles(): readonly GeneratedFile[] {
  const rows = valueRows(read('charts/vexil/values.yaml'));
  const [rules, dashboard] = ['config/monitoring/rules.yaml', 'config/monitoring/dashboard.json'] as const;
  const files = [
    { path: 'Chart.yaml', source: 'package.json and scripts/chart/metadata.ts', text: chartMetadata() },
    { path: 'README.md', source: 'values.yaml and src/config/settings.ts', text: chartReadme(rows) },
    { path: 'values.schema.json', source: 'values.yaml', text: valuesSchema(rows) },
    { path: 'templates/_rules.tpl', source: 'config/rbac', text: chartRules() },
    { path: 'templates/_admission.tpl', source: 'config/admission', text: chartAdmission() },
    { path: 'templates/_settings.tpl', source: 'src/config/settings.ts', text: chartSettings() },
    { path: 'files/rules.yaml', source: rules, text: rulesOf(rules) },
    { path: 'files/dashboard.json', source: dashboard, text: read(dashboard) },
    ...chartDefinitions().map(([name, text]) => ({ path: `files/crds/${name}`, source: 'src/schema', text })),
  ];
  return files.map((file) => ({ ...file, path: `charts/vexil/${file.path}` }));
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
