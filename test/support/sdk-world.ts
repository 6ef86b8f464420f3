/** Tokens and SDKs for tests of the client API. */
import { type Unleash, type UnleashConfig, Unleash as UnleashSdk } from 'unleash-client';
import { aToken } from './builders.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Instance } from './instance.ts';

/** Applies an ApiToken, and answers the value in its Secret. */
export async function tokenValue(
  instance: Instance,
  name: string,
  spec: Parameters<typeof aToken>[1] = {},
): Promise<string> {
  await instance.apply(aToken(`${instance.home}/${name}`, spec));
  const args = ['get', 'secret', `vexil-token-${name}`, '-n', instance.home, '-o', 'jsonpath={.data.token}'];
  const stdout = await instance.cluster.kubectlOrThrow(args);
  return Buffer.from(stdout, 'base64').toString();
}

export interface SdkOptions extends Partial<UnleashConfig> {
  readonly token: string;
}

/** The Node SDK, as an application has it, polling four times a second. */
export function startSdk(url: string, { token, ...options }: SdkOptions): Unleash {
  const sdk = new UnleashSdk({
    url: `${url}/api/`,
    appName: 'test',
    customHeaders: { Authorization: token },
    refreshInterval: 250,
    metricsInterval: 250,
    metricsJitter: 0,
    disableMetrics: true,
    skipInstanceCountWarning: true,
    storageProvider: { set: async () => undefined, get: async () => undefined },
    ...options,
  });
  // Without a listener the SDK throws what it cannot fetch, also after its end: it tries a failed poll again.
  sdk.on('error', () => undefined);
  return sdk;
}

/** Waits for an event of the SDK. */
export function nextEvent(sdk: Unleash, name: string): Promise<unknown> {
  return new Promise((resolve) => void sdk.once(name, resolve));
}

/** Ends an SDK that polls, between two polls: one that fails after the end is an unhandled rejection. */
export async function endPolling(sdk: Unleash): Promise<void> {
  await nextEvent(sdk, 'unchanged');
  sdk.destroy();
}

/** Waits until the SDK answers so. */
export async function untilSdk(what: string, asks: () => boolean): Promise<void> {
  await waitUntil({ what, everyMs: 20 }, async () => asks());
}
