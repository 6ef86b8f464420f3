/** The endpoints that the editor of flags writes to. */
import type { paths } from '../api.generated.ts';

const FLAG = '/api/admin/projects/{projectId}/features/{featureName}';
const HERE = `${FLAG}/environments/{environment}` as const;

export const PATHS = {
  flag: FLAG,
  clone: `${FLAG}/clone`,
  dependencies: `${FLAG}/dependencies`,
  dependency: `${FLAG}/dependencies/{parent}`,
  ownership: `${FLAG}/ownership`,
  restore: `${FLAG}/restore`,
  status: `${FLAG}/status`,
  tags: '/api/admin/features/{featureName}/tags',
  variants: `${FLAG}/variants`,
  on: `${HERE}/on`,
  off: `${HERE}/off`,
  copy: `${HERE}/copy`,
  strategies: `${HERE}/strategies`,
  strategyOrder: `${HERE}/strategies/set-sort-order`,
  strategy: `${HERE}/strategies/{strategyId}`,
  environmentVariants: `${HERE}/variants`,
  window: `${HERE}/window`,
} as const satisfies Readonly<Record<string, keyof paths>>;

/** An endpoint as the permissions of a user list it. */
export function endpoint(method: 'POST' | 'PUT' | 'DELETE', path: keyof paths): string {
  return `${method} ${path.replace('/api/admin', '')}`;
}

/** For the flag as a whole. */
export const FLAG_ENDPOINTS = {
  fields: endpoint('PUT', PATHS.flag),
  addDependency: endpoint('POST', PATHS.dependencies),
  removeDependency: endpoint('DELETE', PATHS.dependency),
  tags: endpoint('PUT', PATHS.tags),
  archive: endpoint('DELETE', PATHS.flag),
  clone: endpoint('POST', PATHS.clone),
  restore: endpoint('POST', PATHS.restore),
  variants: endpoint('PUT', PATHS.variants),
};

/** For the flag in an environment. */
export const ENVIRONMENT_ENDPOINTS = {
  add: endpoint('POST', PATHS.strategies),
  change: endpoint('PUT', PATHS.strategy),
  remove: endpoint('DELETE', PATHS.strategy),
  order: endpoint('POST', PATHS.strategyOrder),
  variants: endpoint('PUT', PATHS.environmentVariants),
  window: endpoint('PUT', PATHS.window),
  copy: endpoint('POST', PATHS.copy),
};
