/** Generates all generated files of the chart vexil-edge. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedFile } from '../../generated-file.ts';
import { metadataOf } from '../metadata.ts';
import { rulesOf } from '../monitoring-rules.ts';
import { valueRows } from '../value-rows.ts';
import { edgeChartReadme } from './edge-readme.ts';
import { edgeChartSettings } from './edge-settings.ts';
import { edgeValuesSchema } from './edge-values.ts';

const root = join(import.meta.dirname, '../../..');
const SHARED = 'charts/vexil/templates/_shared.tpl';
const read = (path: string) => readFileSync(join(root, path), 'utf8');

export function edgeChartFiles(): readonly GeneratedFile[] {
  const rows = valueRows(read('charts/vexil-edge/values.yaml'));
  const [rules, dashboard] = ['config/monitoring/edge-rules.yaml', 'config/monitoring/edge-dashboard.json'] as const;
  const files = [
    { path: 'Chart.yaml', source: 'package.json and scripts/chart/metadata.ts', text: edgeMetadata() },
    { path: 'README.md', source: 'values.yaml and src/edge/setting-table.ts', text: edgeChartReadme(rows) },
    { path: 'values.schema.json', source: 'values.yaml', text: edgeValuesSchema(rows) },
    { path: 'templates/_settings.tpl', source: 'src/edge/setting-table.ts', text: edgeChartSettings() },
    { path: 'templates/_shared.tpl', source: SHARED, text: sharedTemplates() },
    { path: 'files/rules.yaml', source: rules, text: rulesOf(rules) },
    { path: 'files/dashboard.json', source: dashboard, text: read(dashboard) },
  ];
  return files.map((file) => ({ ...file, path: `charts/vexil-edge/${file.path}` }));
}

function edgeMetadata(): string {
  return metadataOf({
    name: 'vexil-edge',
    description: 'Serves the flags of Vexil or Unleash beside applications',
    keywords: ['feature-flags', 'feature-toggles', 'unleash', 'unleash-edge', 'openfeature', 'edge'],
    annotations: {},
  });
}

/** Templates have one name in all charts of a release, so each chart has names of its own. */
function sharedTemplates(): string {
  return read(SHARED).replaceAll('"vexil.', '"vexil-edge.');
}
