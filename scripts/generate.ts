/** Writes all generated files; with --check it only lists files that are not up to date. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argv, exit, stderr, stdout } from 'node:process';
import { sections } from '../src/http/routes/all.ts';
import { GROUP, VERSIONS } from '../src/model/kind.ts';
import { writeYaml } from '../src/model/yaml/yaml.ts';
import { kinds } from '../src/schema/kinds.ts';
import { editorSchema } from '../src/schema/structural/editor-schema.ts';
import { objectSchema } from '../src/schema/structural/object-schema.ts';
import { accessPage } from './access-page.ts';
import { apiPage } from './api-page.ts';
import { argocdCustomizations } from './argocd-customizations.ts';
import { edgeChartFiles } from './chart/edge/edge-files.ts';
import { chartFiles } from './chart/files.ts';
import { headOf } from './chart/template.ts';
import { cliPage } from './cli-page.ts';
import { consoleFields } from './console-fields.ts';
import { consoleTypes } from './console-types.ts';
import { customResourceDefinition, definitionsKustomization } from './crd.ts';
import { fluxKustomization } from './flux-kustomization.ts';
import { settingsPage } from './generate-settings.ts';
import { historyPage } from './history-page.ts';
import { kindPage } from './kind-page.ts';
import { operatorRules } from './operator-rules.ts';
import { unleashEdgePage } from './unleash-edge-page.ts';
import { versionPlaces } from './version-places.ts';

const root = join(import.meta.dirname, '..');
const yamlHead = headOf('src/schema');

function everything(): Map<string, string> {
  const files = new Map<string, string>([
    ...chartFiles(),
    ...edgeChartFiles(),
    ...versionPlaces(),
    ['docs/settings.md', settingsPage()],
    ['docs/api.md', apiPage(sections)],
    ['docs/from-unleash-edge.md', unleashEdgePage()],
    ['crds/Kustomization', yamlHead + definitionsKustomization()],
    ['docs/cli.md', cliPage()],
    ['cli/check/operator-rules.generated.ts', operatorRules()],
    ['console/src/api.generated.ts', consoleTypes(sections)],
    ['console/src/feature/fields/flag-fields.generated.ts', consoleFields(sections)],
    ['docs/access.md', accessPage(sections)],
    ['docs/event-types.md', historyPage()],
    ['config/argocd/argocd-cm.yaml', headOf('config/argocd/resource_customizations') + argocdCustomizations()],
    ['config/flux/kustomization.yaml', headOf('scripts/flux-kustomization.ts') + fluxKustomization()],
  ]);
  for (const kind of kinds) {
    const schema = objectSchema(kind);
    files.set(`crds/${kind.plural}.yaml`, yamlHead + writeYaml(customResourceDefinition(kind)));
    for (const { name } of VERSIONS) {
      const editor = editorSchema(kind.kind, schema, [`${GROUP}/${name}`]);
      files.set(`crds/schemas/${kind.singular}_${name}.json`, `${JSON.stringify(editor, null, 2)}\n`);
    }
    files.set(`docs/kinds/${kind.singular}.md`, kindPage(kind, schema));
  }
  return files;
}

async function present(path: string): Promise<string | undefined> {
  return readFile(join(root, path), 'utf8').catch(() => undefined);
}

const stale: string[] = [];
for (const [path, wanted] of everything()) {
  if ((await present(path)) === wanted) continue;
  stale.push(path);
  if (argv.includes('--check')) continue;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), wanted);
  stdout.write(`wrote ${path}\n`);
}
if (argv.includes('--check') && stale.length > 0) {
  stderr.write(`not up to date, run \`npm run generate\`: ${stale.join(', ')}\n`);
  exit(1);
}
