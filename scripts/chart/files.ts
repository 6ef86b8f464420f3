/** Generates all generated files of the chart vexil. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartAdmission } from './admission.ts';
import { chartDefinitions } from './definitions.ts';
import { chartMetadata } from './metadata.ts';
import { rulesOf } from './monitoring-rules.ts';
import { chartReadme } from './readme.ts';
import { chartRules } from './rules.ts';
import { chartSettings } from './settings.ts';
import { headOf, templateHeadOf } from './template.ts';
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
