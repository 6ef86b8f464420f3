/** Builds the console for operators that run from their sources. */
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../scripts/tools/run-program.ts';

const PROGRAM = fileURLToPath(new URL('../../scripts/console/main.ts', import.meta.url));

/** Builds the console unless its sources are unchanged. */
export async function buildConsole(): Promise<void> {
  const { code, stderr } = await runProgram(process.execPath, [PROGRAM]);
  if (code !== 0) throw new Error(`the console cannot be built:\n${stderr}`);
}
