/** The program of the operator that is measured, which is the one that ships. */
import { fileURLToPath } from 'node:url';

/** The file that `npm run build` creates. */
export const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The same options as in the Dockerfile. */
export const IMAGE_OPTIONS = ['--max-semi-space-size=8'];
export const IMAGE_ENVIRONMENT = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' };
