/** The folder in which Node.js keeps compiled code: programs that start many times start in a third of the time. */
import { fileURLToPath } from 'node:url';

/** For the environment of a process, which writes to it as it ends. */
export const compileCache = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../.cache/compiled', import.meta.url)),
} as const;
