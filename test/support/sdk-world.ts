/** Tokens and SDKs for tests of the client API. */
import { type Unleash, type UnleashConfig, Unleash as UnleashSdk } from 'unleash-client';
import { aToken } from './builders.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Instance } from './instance.ts';

/** Applies an ApiToken, and returns the value in its Secret. */
export async function tokenValue(
  instance: Instance,
  name: string,
  spec: Parameters<typeof aToken>[1] = {},
): Promise<string> {
  await instance.apply(aToken(`${instance.home}/${name}`, spec));
  const { data } = await instance.cluster.getObject(`secret/vexil-token-${name}`, instance.home);
  return Buffer.from(data.token, 'base64').toString();
}

export interface SdkOptions extends Partial<UnleashConfig> {
  readonly token: string;
}

/** Starts the Node SDK as an application does. It polls four times a second. */
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
  sdk.on('error', () => undefined);
  return sdk;
}

/** Waits for an event of the SDK. */
export function nextEvent(sdk: Unleash, name: string): Promise<unknown> {
  return new Promise((resolve) => void sdk.once(name, resolve));
}

/** Ends an SDK. The SDK removes its listeners, and then throws the failure of a poll that is still under way. */
export function endSdk(sdk: Unleash): void {
  sdk.destroy();
  sdk['repository'].on('error', () => undefined);
}

/** Waits until the answers of the SDK fulfil the condition. */
export async function untilSdk(what: string, asks: () => boolean): Promise<void> {
  await waitUntil({ what, everyMs: 20 }, async () => asks());
}
