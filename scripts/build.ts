/**
 * Makes dist/main.js, the operator as one file, which starts sooner and takes less memory than its sources; beside it
 * the program of the threads that have a SQLite connection, as a thread begins with a file of its own.
 */
import { join } from 'node:path';
import { stdout } from 'node:process';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');

/**
 * Of the client for Kubernetes we use the reading of kubeconfigs; the models of every built-in kind come with it. They
 * are nothing but declarations, so that what nobody uses can be left out: without this they take 70 MB of memory.
 */
const onlyDeclares = /@kubernetes[\\/]client-node[\\/]dist[\\/](gen|index)/;

for (const input of ['src/main.ts', 'src/audit/archive/sqlite-worker.ts']) {
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    treeshake: { moduleSideEffects: (id) => !onlyDeclares.test(id) },
    checks: { circularDependency: false },
  });
  const { output } = await bundle.write({
    dir: 'dist',
    format: 'esm',
    codeSplitting: false,
    comments: { legal: true },
  });
  await bundle.close();
  for (const file of output) {
    if (file.type === 'chunk') stdout.write(`dist/${file.fileName}: ${(file.code.length / 1e6).toFixed(3)} MB\n`);
  }
}
