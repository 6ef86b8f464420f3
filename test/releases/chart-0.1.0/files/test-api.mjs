// Checks through the Service that Vexil is ready, and that the admin API answers only authenticated callers.
import { env, exit, stderr, stdout } from 'node:process';

const { API, OPS, TOKEN, ANONYMOUS } = env;
const failures = [];

async function check(what, url, { token, wanted }) {
  try {
    const headers = token ? { authorization: token } : {};
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    const isFine = response.status === wanted;
    stdout.write(`${isFine ? 'ok' : 'FAILED'}: ${what}: ${response.status}\n`);
    if (!isFine) failures.push(`${what}: ${response.status} instead of ${wanted}: ${text.slice(0, 500)}`);
  } catch (error) {
    stdout.write(`FAILED: ${what}: ${error.message}\n`);
    failures.push(`${what}: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
  }
}

await check('the replica is ready', `${OPS}/readyz`, { wanted: 200 });
await check('metrics are served', `${OPS}/metrics`, { wanted: 200 });
await check('the admin API is up', `${API}/health`, { wanted: 200 });
await check('its documentation is there', `${API}/docs/openapi.json`, { wanted: 200 });
await check('without a token', `${API}/api/admin/projects`, { wanted: ANONYMOUS ? 200 : 401 });
if (TOKEN) {
  await check('projects, with the admin token', `${API}/api/admin/projects`, { token: TOKEN, wanted: 200 });
  await check('environments, with the admin token', `${API}/api/admin/environments`, { token: TOKEN, wanted: 200 });
  await check('the history, with the admin token', `${API}/api/admin/search/events?limit=1`, {
    token: TOKEN,
    wanted: 200,
  });
}
for (const failure of failures) stderr.write(`${failure}\n`);
exit(failures.length > 0 ? 1 : 0);
