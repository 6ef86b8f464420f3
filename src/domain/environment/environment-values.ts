/** Values of an environment, with defaults. */
import type { Environment } from '../../schema/environment.ts';

const DEFAULT_ENVIRONMENT_TYPE = 'development';

export function environmentTypeOf({ spec }: Environment): string {
  return spec.type ?? DEFAULT_ENVIRONMENT_TYPE;
}
