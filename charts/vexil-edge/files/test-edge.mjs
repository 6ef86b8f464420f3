// Checks through the Service that the edge is ready, and that it answers only callers with a token.
import { env, exit, stdout } from 'node:process';

const { EDGE, BASE_PATH } = env;
const failures = [];

async function check(what, url, wanted) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((error) => error);
  const found = answer instanceof Error ? `${answer.message} (${answer.cause?.message})` : answer.status;
  const isFine = found === wanted;
  stdout.write(`${isFine ? 'ok' : 'FAILED'}: ${what}: ${found}\n`);
  if (isFine) return;
  failures.push(what);
  if (!(answer instanceof Error)) stdout.write(`${(await answer.text()).slice(0, 500)}\n`);
}

await check('the edge is ready', `${EDGE}/internal-backstage/ready`, 200);
await check('metrics are served', `${EDGE}/internal-backstage/metrics`, 200);
await check('flags without a token', `${EDGE}${BASE_PATH ?? ''}/api/client/features`, 401);
exit(failures.length > 0 ? 1 : 0);
