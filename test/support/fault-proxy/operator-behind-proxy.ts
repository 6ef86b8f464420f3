/** The real app with a fault proxy between it and the API server. */
import { expect } from 'vitest';
import { type Answer, adminClient, type Call } from '../admin-client.ts';
import type { ControlPlaneAddress } from '../control-plane/access.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { readMetric } from '../read-metric.ts';
import { type RunningApp, startApp } from '../running-app.ts';
import { QUICK_WATCH } from '../timings.ts';
import type { FlagsDirectly } from './flags-directly.ts';
import { proxiedKubeconfig, proxyFor } from './proxied-kubeconfig.ts';
import { recordHistory } from './report.ts';
import type { FaultProxy } from './start-fault-proxy.ts';

export interface BehindProxyParts {
  readonly plane: ControlPlaneAddress;
  /** The kubeconfig of the operator's own account. */
  readonly kubeconfig: string;
  readonly home: string;
  /** Injects faults from the first request on. */
  readonly arrange?: (proxy: FaultProxy) => void;
  /** `VEXIL_*` variables. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface BehindProxy extends Pick<RunningApp, 'ready'> {
  readonly proxy: FaultProxy;
  readonly call: Call;
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** The unhandled rejections. */
  readonly rejections: readonly unknown[];
  /** The value of a series on the operations port. */
  metric(series: string): Promise<number>;
  /**
   * Reports what happened in a test, checks that each fault happened and that no rejection was unhandled, and prepares
   * for the next test.
   */
  endTest(test: string): void;
  /** Reports and checks as `endTest`, and stops operator and proxy. */
  stop(test: string): Promise<void>;
}

/** Resolves when the operator listens. Its caches may still be filling. */
export async function startBehindProxy(parts: BehindProxyParts): Promise<BehindProxy> {
  const { plane, kubeconfig, home, arrange, settings } = parts;
  const proxy = await proxyFor(plane);
  arrange?.(proxy);
  const given = { KUBECONFIG: await proxiedKubeconfig(proxy, kubeconfig), VEXIL_NAMESPACE: home, ...settings };
  const rejections: unknown[] = [];
  const reject = (reason: unknown) => void rejections.push(reason);
  process.on('unhandledRejection', reject);
  const app = await startApp({ VEXIL_LOG_LEVEL: 'debug', ...QUICK_WATCH, ...given });
  return {
    proxy,
    log: app.log,
    rejections,
    call: adminClient(app.url),
    ready: app.ready,
    metric: (series) => readMetric(app.opsUrl, series),
    endTest(test) {
      recordHistory(proxy, test);
      const unmet = proxy.unmet();
      proxy.forget();
      expect(unmet).toEqual([]);
      expect(rejections).toEqual([]);
    },
    async stop(test) {
      recordHistory(proxy, test);
      await app.stop();
      await proxy.stop();
      process.off('unhandledRejection', reject);
      expect(proxy.unmet()).toEqual([]);
      expect(rejections).toEqual([]);
    },
  };
}

/** Reads a project's flags, which are answered in every state of the API server. */
export async function readFlags(call: Call): Promise<Answer> {
  const answer = await call('GET /projects/shop/features');
  expect(answer.status).toBe(200);
  return answer;
}

/** Waits until the admin API shows exactly the objects of the API server. It answers all the time. */
export async function untilConverged({ call }: Pick<BehindProxy, 'call'>, flags: FlagsDirectly): Promise<void> {
  await waitUntil({ what: 'the cache is as the API server' }, async () => {
    const [answer, stored] = [await readFlags(call), await flags.list()];
    const shown = answer.body.features.map(({ name, description }: { name: string; description: string | null }) => [
      name,
      description ?? '',
    ]);
    return JSON.stringify(shown.sort()) === JSON.stringify(stored);
  });
}

/**
 * Waits until the operator has written the status of each flag and has seen it: a later status changes the version that
 * a change of the flag carries.
 */
export async function untilJudged(
  { call }: Pick<BehindProxy, 'call'>,
  flags: FlagsDirectly,
  ...names: readonly string[]
): Promise<void> {
  for (const name of names) {
    await waitUntil({ what: `${name} is judged, and the cache has it` }, async () => {
      const { metadata, status } = await flags.get(name);
      const known = await call(`GET /projects/shop/features/${name}/status`);
      return (
        status?.observedGeneration === metadata.generation && known.body.resourceVersion === metadata.resourceVersion
      );
    });
  }
}
