/**
 * Builds dist/, the content of the image. main.js is the operator, in one file, which starts faster and takes less
 * memory than the sources. edge.js is the edge, with its packages in edge/. cli.js is the command line, with what
 * single commands need in cli/. dist/ also contains the programs of worker threads, which need their own files, the
 * client of S3, which is read only where a bucket is set, that of NATS, which is read only with a sink of this type,
 * the files of the page at /docs, the console, and the bill of materials. The environment variable REVISION names the
 * commit.
 */

import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join, resolve } from 'node:path';
import { argv, env, stdout } from 'node:process';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { bundleConsole } from './console/bundle-console.ts';
import { billOfMaterials } from './sbom.ts';

const root = join(import.meta.dirname, '..');
/** `node scripts/build.ts FOLDER` writes to another folder. */
const target = resolve(argv[2] ?? join(root, 'dist'));

/**
 * Vexil uses only the kubeconfig parser of the Kubernetes client. The parser also imports the API client, with the
 * models of all built-in kinds, and a second HTTP client, which Vexil never calls: they would take 70 MB of memory and
 * 2 MB of files.
 */
const unusedByParser: Plugin = {
  name: 'unused-by-kubeconfig-parser',
  resolveId: (source, importer = '') =>
    /@kubernetes[\\/]client-node[\\/]dist[\\/]config\.js$/.test(importer) && Object.hasOwn(UNUSED, source)
      ? `\0unused:${source}`
      : undefined,
  load: (id) => UNUSED[id.replace(/^\0unused:/, '')],
};
const UNUSED: Readonly<Record<string, string>> = {
  undici: 'export class Agent {}\nexport class ProxyAgent {}\n',
  './gen/index.js': 'export class ServerConfiguration {}\nexport function createConfiguration() {}\n',
};

/**
 * `import` of node:http reads all that it exports. Some of it is the client behind `fetch`, which Node.js loads only
 * then, with 7 MB of memory.
 */
const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  resolveId: (source, _, { kind }) => (source === 'node:http' && kind !== 'require-call' ? '\0node-http' : undefined),
  load(id) {
    if (id !== '\0node-http') return undefined;
    const members = Object.entries(Object.getOwnPropertyDescriptors(http));
    const names = members.flatMap(([name, { get, enumerable }]) => (get || !enumerable ? [] : name));
    return `const http = process.getBuiltinModule('node:http');\nexport default http;\nexport const { ${names.join(', ')} } = http;\n`;
  },
};

/** The parser of bodies reads UTF-8, UTF-16 and UTF-32 only, and carries half a megabyte of tables for others. */
const withoutCharsetTables: Plugin = {
  name: 'without-charset-tables',
  load: (id) =>
    /[\\/]iconv-lite[\\/]encodings[\\/]tables[\\/]/.test(id) ? { code: '[]', moduleType: 'json' } : undefined,
};

/** V8 keeps the text of a program in memory, with two bytes for each character unless all are ASCII. */
const oneByteTexts: Plugin = {
  name: 'one-byte-texts',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replaceAll(/[\u0080-\uffff]/g, escaped);
    }
  },
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The folder of the package that a module is in. */
const packageFolder = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/;

/** The files of the package that src/http/pages/docs-page.ts serves, with its version and licences. */
const PAGE_FILES = [
  ...['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js'],
  ...['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'],
];

interface Program {
  readonly name: string;
  readonly path: string;
  readonly output: OutputOptions;
}

/** Puts the program into one file, in which stack traces are readable, and what few installations need into others. */
const whole: OutputOptions = { chunkFileNames: 'main/[name].js' };
/** V8 keeps the text of a program. Names of functions stay, for stack traces. */
const minify: OutputOptions['minify'] = {
  compress: true,
  mangle: { keepNames: true },
  codegen: { removeWhitespace: true },
};
const small: OutputOptions = { codeSplitting: false, minify };
/**
 * The edge runs on small machines. V8 parses each file as a whole, and the memory that this takes stays with the
 * process: for several files it is 10 MB less than for one.
 */
const byPackage: OutputOptions = {
  chunkFileNames: 'edge/[name].js',
  codeSplitting: { groups: [{ test: packageFolder, name: fileOfPackage }] },
  minify,
};

function fileOfPackage(module: string): string | null {
  const [folder] = packageFolder.exec(module) ?? [];
  return folder?.split('node_modules/').at(-1)?.replaceAll(/[@/]/g, '_') ?? null;
}

/**
 * Splits the program, so that a command reads only what it needs. Shortens names except those of functions, which stack
 * traces show.
 */
const split: OutputOptions = { chunkFileNames: 'cli/[name].js', minify };

/** The largest size of all files of the command line together. */
const MAX_CLI_BYTES = 2_800_000;

/** Writes a bundle; returns the packages that it contains code of. */
async function bundle({ name, path, output: options }: Program): Promise<readonly string[]> {
  const bundler = await rolldown({
    cwd: root,
    input: { [name]: path },
    platform: 'node',
    transform: { define: { BUILD_REVISION: JSON.stringify(env['REVISION'] || 'unknown') } },
    plugins: [unusedByParser, httpWithoutFetch, withoutCharsetTables, oneByteTexts],
    checks: { circularDependency: false },
  });
  const { output } = await bundler.write({
    dir: target,
    format: 'esm',
    comments: { legal: true, annotation: false, jsdoc: false },
    ...options,
  });
  await bundler.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const bytes = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
  stdout.write(`dist/${name}.js: ${(bytes / 1e6).toFixed(3)} MB in ${chunks.length} files\n`);
  if (name === 'cli' && bytes > MAX_CLI_BYTES) throw new Error(`the command line has more than ${MAX_CLI_BYTES} bytes`);
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules));
  return packagesOf(modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id));
}

function packagesOf(modules: readonly string[]): Promise<readonly string[]> {
  return Promise.all([...new Set(modules.flatMap((id) => packageFolder.exec(id)?.[0] ?? []))].map(packageIn));
}

/** Returns `name@version`. */
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

// Otherwise files of an earlier build would be in the image.
await rm(target, { recursive: true, force: true });
const programs: readonly Program[] = [
  { name: 'main', path: 'src/main.ts', output: whole },
  { name: 'edge', path: 'src/edge.ts', output: byPackage },
  { name: 'cli', path: 'cli/start.ts', output: split },
  { name: 'sqlite-worker', path: 'src/audit/archive/sqlite/sqlite-worker.ts', output: whole },
  { name: 's3-target', path: 'src/audit/export/s3-target.ts', output: small },
  { name: 'nats-publisher', path: 'src/audit/deliver/nats/nats-publisher.ts', output: small },
  { name: 'state-upload-worker', path: 'src/http/server/body/state-upload-worker.ts', output: whole },
];
const packages = new Set((await Promise.all(programs.map(bundle))).flat());
packages.add(await copyPage());
for (const name of await packagesOf(await bundleConsole(join(target, 'console')))) packages.add(name);
// The shell and kubectl start this file by its name.
await chmod(join(target, 'cli.js'), 0o755);
// The chart of Unleash Edge runs this name for its probes. An image without a shell has no program `env`.
await writeFile(join(target, 'unleash-edge'), "#!/usr/local/bin/node\nimport './edge.js';\n", { mode: 0o755 });
// Without this file, Node.js has to detect the module type of main.js, which parses it twice.
await writeFile(join(target, 'package.json'), '{ "type": "module" }\n');
await writeFile(join(target, 'sbom.cdx.json'), await billOfMaterials(root, packages));
