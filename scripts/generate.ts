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
import { cliPage } from './cli-page.ts';
import { consoleFields } from './console-fields.ts';
import { consoleTypes } from './console-types.ts';
import { customResourceDefinition, definitionsKustomization } from './crd.ts';
import { fluxKustomization } from './flux-kustomization.ts';
import { type GeneratedFile, withHeader } from './generated-file.ts';
import { historyPage } from './history-page.ts';
import { kindPage } from './kind-page.ts';
import { operatorRules } from './operator-rules.ts';
import { settingsPage } from './settings-page.ts';
import { unleashEdgePage } from './unleash-edge-page.ts';
import { versionPlaces } from './version-places.ts';

const root = join(import.meta.dirname, '..');
const ROUTES = 'src/http/routes';
const SCHEMA = 'src/schema';
function everything(): readonly GeneratedFile[] {
  return [
    ...chartFiles(),
    ...edgeChartFiles(),
    ...[...versionPlaces()].map(([path, text]) => ({ path, text })),
    { path: 'docs/settings.md', source: 'src/config/settings.ts', text: settingsPage() },
    { path: 'docs/api.md', source: ROUTES, text: apiPage(sections) },
    { path: 'docs/access.md', source: ROUTES, text: accessPage(sections) },
    { path: 'docs/cli.md', source: 'cli', text: cliPage() },
    { path: 'docs/event-types.md', source: 'src/domain/history/event-types.ts', text: historyPage() },
    {
      path: 'docs/from-unleash-edge.md',
      source: 'src/edge/setting-table.ts and src/edge/unleash-edge-options.ts',
      text: unleashEdgePage(),
    },
    { path: 'cli/check/operator-rules.generated.ts', source: 'config/rbac', text: operatorRules() },
    { path: 'console/src/api.generated.ts', source: ROUTES, text: consoleTypes(sections) },
    {
      path: 'console/src/feature/fields/flag-fields.generated.ts',
      source: ROUTES,
      text: consoleFields(sections),
    },
    {
      path: 'config/argocd/argocd-cm.yaml',
      source: 'config/argocd/resource_customizations',
      text: argocdCustomizations(),
    },
    { path: 'config/flux/kustomization.yaml', source: 'scripts/flux-kustomization.ts', text: fluxKustomization() },
    { path: 'crds/Kustomization', source: SCHEMA, text: definitionsKustomization() },
    ...kinds.flatMap(filesOf),
  ];
}

/** Returns the definition, the schemas for editors, and the page of a kind. */
function filesOf(kind: (typeof kinds)[number]): readonly GeneratedFile[] {
  const schema = objectSchema(kind);
  const schemas = VERSIONS.map(({ name }) => ({
    path: `crds/schemas/${kind.singular}_${name}.json`,
    source: SCHEMA,
    text: `${JSON.stringify(editorSchema(kind.kind, schema, [`${GROUP}/${name}`]), null, 2)}\n`,
  }));
  return [
    { path: `crds/${kind.plural}.yaml`, source: SCHEMA, text: writeYaml(customResourceDefinition(kind)) },
    ...schemas,
    { path: `docs/kinds/${kind.singular}.md`, source: SCHEMA, text: kindPage(kind, schema) },
  ];
}

async function present(path: string): Promise<string | undefined> {
  return readFile(join(root, path), 'utf8').catch(() => undefined);
}

const stale: string[] = [];
for (const file of everything()) {
  const { path } = file;
  const wanted = withHeader(file);
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
