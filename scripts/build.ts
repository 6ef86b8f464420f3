/**
 * Builds dist/, the content of the image. main.js is the operator as one file, which starts faster and takes less memory
 * than the sources. dist/ also contains the programs of worker threads, which need their own files, the files of the page
 * at /docs, and the bill of materials. The environment variable REVISION names the commit.
 */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { argv, env, stdout } from 'node:process';
import { rolldown } from 'rolldown';
import { billOfMaterials } from './sbom.ts';

const root = join(import.meta.dirname, '..');
/** `node scripts/build.ts FOLDER` writes to another folder. */
const target = resolve(argv[2] ?? join(root, 'dist'));

/**
 * Vexil uses only the kubeconfig parser of the Kubernetes client, which also imports the models of all built-in kinds. These
 * are declarations without side effects, so unused ones can be dropped: they would take 70 MB of memory.
 */
const onlyDeclares = /@kubernetes[\\/]client-node[\\/]dist[\\/](gen|index)/;

/** The folder of the package that a module is in. */
const packageFolder = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/;

/** The files of the package that src/http/pages/docs-page.ts serves, with its version and licences. */
const PAGE_FILES = [
  ...['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js'],
  ...['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'],
];

/** Writes a bundle; returns the packages with code in it. */
async function bundle(input: string): Promise<readonly string[]> {
  const bundler = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    transform: { define: { BUILD_REVISION: JSON.stringify(env['REVISION'] || 'unknown') } },
    treeshake: { moduleSideEffects: (id) => !onlyDeclares.test(id) },
    checks: { circularDependency: false },
  });
  const { output } = await bundler.write({
    dir: target,
    format: 'esm',
    codeSplitting: false,
    comments: { legal: true },
  });
  await bundler.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) stdout.write(`dist/${fileName}: ${(code.length / 1e6).toFixed(3)} MB\n`);
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules));
  const present = modules.filter(([, { renderedLength }]) => renderedLength > 0);
  return Promise.all([...new Set(present.flatMap(([id]) => packageFolder.exec(id)?.[0] ?? []))].map(packageIn));
}

/** `name@version`. */
async function packageIn(folder: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}

async function copyPage(): Promise<string> {
  const source = join(root, 'node_modules/swagger-ui-dist');
  const folder = join(target, 'swagger-ui');
  await mkdir(folder);
  for (const file of PAGE_FILES) await copyFile(join(source, file), join(folder, file));
  return packageIn(source);
}

// Files of an earlier build would end up in the image.
await rm(target, { recursive: true, force: true });
const programs = ['src/main.ts', 'src/audit/archive/sqlite-worker.ts', 'src/http/server/state-upload-worker.ts'];
const packages = new Set((await Promise.all(programs.map(bundle))).flat());
packages.add(await copyPage());
// Without it Node.js has to detect the module type of main.js, which parses it twice.
await writeFile(join(target, 'package.json'), '{ "type": "module" }\n');
await writeFile(join(target, 'sbom.cdx.json'), await billOfMaterials(root, packages));
