/**
 * Chooses where a cluster for end-to-end tests comes from: the scripts that VEXIL_E2E_CLUSTER names, otherwise kind.
 */
import { resolve } from 'node:path';
import { kindProvider } from './kind.ts';
import type { Provider } from './provider.ts';
import { scriptsProvider } from './scripts.ts';

/**
 * `VEXIL_E2E_CLUSTER` is the folder of the scripts, `VEXIL_E2E_PROVIDER` may say which of both, and
 * `VEXIL_E2E_BUILDER=buildah` that scripts get the image of the Dockerfile itself, `VEXIL_E2E_NODE_IMAGE` the image of
 * kind's node; `state` is for what they keep.
 */
export function chooseProvider(environment: NodeJS.ProcessEnv, state: string): Provider {
  const scripts = environment['VEXIL_E2E_CLUSTER'];
  const wanted = environment['VEXIL_E2E_PROVIDER'] || (scripts ? 'scripts' : 'kind');
  if (wanted === 'kind') return kindProvider(state, environment['VEXIL_E2E_NODE_IMAGE']);
  if (wanted !== 'scripts') throw new Error(`VEXIL_E2E_PROVIDER=${wanted}: it is "kind" or "scripts"`);
  if (!scripts) throw new Error('VEXIL_E2E_PROVIDER=scripts: VEXIL_E2E_CLUSTER names the folder of the scripts');
  const withBuildah = environment['VEXIL_E2E_BUILDER'] === 'buildah';
  return scriptsProvider({ scripts: resolve(scripts), state, withBuildah });
}
