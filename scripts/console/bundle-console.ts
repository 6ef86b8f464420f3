/** Bundles the console for browsers, with a compressed copy of each asset. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { brotliCompressSync } from 'node:zlib';
import { build, type InlineConfig, type Rolldown } from 'vite';

const SOURCES = join(import.meta.dirname, '../../console');

/** Writes index.html and assets/ to the folder; returns the modules that the bundle contains code of. */
export async function bundleConsole(folder: string): Promise<readonly string[]> {
  const built = await inProduction(() => build(optionsFor(folder)));
  const assets = join(folder, 'assets');
  for (const file of await readdir(assets)) {
    await writeFile(join(assets, `${file}.br`), brotliCompressSync(await readFile(join(assets, file))));
  }
  return [built].flat().flatMap((one) => ('output' in one ? modulesIn(one) : []));
}

/**
 * Tests run in another environment, in which React is four times as large. In the production environment npm would
 * leave packages out, so it is set only here.
 */
async function inProduction<T>(work: () => Promise<T>): Promise<T> {
  const { NODE_ENV: before } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = before;
  }
}

function optionsFor(outDir: string): InlineConfig {
  return {
    root: SOURCES,
    // The console also works behind a path prefix.
    base: './',
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // Ignores the marks of React for code that runs in browsers only, because all of this code does.
      rolldownOptions: { onLog: (level, log, print) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && print(level, log) },
      license: { fileName: 'licenses.md' },
    },
  };
}

function modulesIn({ output }: Rolldown.RolldownOutput): readonly string[] {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? Object.entries(file.modules) : []));
  return modules.filter(([, { renderedLength }]) => renderedLength > 0).map(([id]) => id);
}
