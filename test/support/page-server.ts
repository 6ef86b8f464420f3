/** Serves a page that shows a flag through the SDKs for browsers, unmodified from npm. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface PageServer {
  /** The URL. Its host differs from that of the operators of tests. */
  readonly url: string;
  stop(): void;
}

const packages = join(import.meta.dirname, '../../node_modules');
const MODULES = '/modules/';
const SCRIPT: Readonly<Record<string, string>> = {
  'unleash-proxy-client': 'unleash-proxy-client/build/main.esm.js',
  '@openfeature/core': '@openfeature/core/dist/esm/index.js',
  '@openfeature/web-sdk': '@openfeature/web-sdk/dist/esm/index.js',
  '@openfeature/ofrep-core': '@openfeature/ofrep-web-provider/node_modules/@openfeature/ofrep-core/index.esm.js',
  '@openfeature/ofrep-web-provider': '@openfeature/ofrep-web-provider/index.esm.js',
};
const imports = Object.fromEntries(Object.entries(SCRIPT).map(([name, path]) => [name, `${MODULES}${path}`]));

/** The query of the page has the address of the operator, a token, and the name of the flag. */
const page = `<!doctype html>
<title>Shop</title>
<link rel="icon" href="data:,">
<p id="unleash"></p>
<p id="openfeature"></p>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
import { UnleashClient } from 'unleash-proxy-client';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

const { url, token, flag } = Object.fromEntries(new URLSearchParams(location.search));
const show = (id, isOn) => { document.getElementById(id).textContent = isOn ? 'on' : 'off'; };

const unleash = new UnleashClient({
  url: url + '/api/frontend', clientKey: token, appName: 'page', refreshInterval: 0.5,
  metricsInterval: 0.5, metricsIntervalInitial: 0.5,
});
window.asked = { yes: 0, no: 0 };
window.ask = () => {
  const isOn = unleash.isEnabled(flag);
  window.asked[isOn ? 'yes' : 'no'] += 1;
  return isOn;
};
for (const event of ['ready', 'update']) unleash.on(event, () => show('unleash', window.ask()));
unleash.start();

await OpenFeature.setContext({ targetingKey: 'ada' });
const showOpenFeature = () => show('openfeature', OpenFeature.getClient().getBooleanValue(flag, false));
OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, showOpenFeature);
await OpenFeature.setProviderAndWait(new OFREPWebProvider({ baseUrl: url, headers: [['X-API-Key', token]] }));
showOpenFeature();
</script>
`;

export async function startPageServer(): Promise<PageServer> {
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://page');
    const path = pathname.slice(MODULES.length);
    const isModule = pathname.startsWith(MODULES) && Object.values(SCRIPT).includes(path);
    response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? await readFile(join(packages, path)) : page);
  });
  await once(server.listen(0, 'localhost'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
