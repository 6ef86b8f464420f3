/** What other clients of an operator do while a test looks at a page in the browser. */

/**
 * The number of streams of changes that the caller has open at the operator. A caller may have 50; further streams are
 * opened elsewhere.
 */
export async function streamsOf(url: string, authorization: string): Promise<number> {
  const ending = new AbortController();
  const ask = () => fetch(`${url}/api/admin/changes`, { headers: { authorization }, signal: ending.signal });
  const answers = await Promise.all(Array.from({ length: 51 }, ask));
  ending.abort();
  return 50 - answers.filter(({ ok }) => ok).length;
}

/** Sends a report as an old SDK that asks for a flag that does not exist, and that an edge knows, too. */
export async function reportAs(url: string, authorization: string): Promise<void> {
  const sdk = { appName: 'web <b>', instanceId: 'host-1', sdkVersion: 'unleash-client-node:5.6.1' };
  const started = new Date().toISOString();
  const toggles = { plain: { yes: 1, no: 0 }, 'no-such-flag': { yes: 0, no: 1 } };
  const send = (path: string, body: object) =>
    fetch(`${url}/api/client/${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ ...sdk, ...body }),
    });
  await send('register', { started, interval: 1000, strategies: ['default'] });
  await send('metrics', { bucket: { start: started, stop: started, toggles } });
  const connectVia = [{ appName: 'vexil-edge', instanceId: 'edge-of-site-east' }];
  await send('metrics/bulk', { applications: [{ ...sdk, environment: 'development', connectVia }], metrics: [] });
}
