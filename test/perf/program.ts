/** The operator that is measured: the one that ships. */
import { fileURLToPath } from 'node:url';

/** What `npm run build` has made. */
export const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** As the Dockerfile sets them. */
export const IMAGE_OPTIONS = ['--max-semi-space-size=8'];
export const IMAGE_ENVIRONMENT = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' };
