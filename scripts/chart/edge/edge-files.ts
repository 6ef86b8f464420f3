/** Generates all generated files of the chart vexil-edge. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metadataOf } from '../metadata.ts';
import { rulesOf } from '../monitoring-rules.ts';
import { headOf, templateHeadOf } from '../template.ts';
import { valueRows } from '../value-rows.ts';
import { edgeChartReadme } from './edge-readme.ts';
import { edgeChartSettings } from './edge-settings.ts';
import { edgeValuesSchema } from './edge-values.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Returns paths, relative to the repository, with their texts. */
export function edgeChartFiles(): ReadonlyMap<string, string> {
  const rows = valueRows(read('charts/vexil-edge/values.yaml'));
  const files = {
    'Chart.yaml': headOf('package.json and scripts/chart/metadata.ts') + edgeMetadata(),
    'README.md': edgeChartReadme(rows),
    'values.schema.json': edgeValuesSchema(rows),
    'templates/_settings.tpl': templateHeadOf('src/edge/setting-table.ts') + edgeChartSettings(),
    'templates/_shared.tpl': templateHeadOf('charts/vexil/templates/_shared.tpl') + sharedTemplates(),
    'files/rules.yaml': rulesOf('config/monitoring/edge-rules.yaml'),
    'files/dashboard.json': read('config/monitoring/edge-dashboard.json'),
  };
  return new Map(Object.entries(files).map(([path, text]) => [`charts/vexil-edge/${path}`, text]));
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
  return read('charts/vexil/templates/_shared.tpl').replaceAll('"vexil.', '"vexil-edge.');
}
