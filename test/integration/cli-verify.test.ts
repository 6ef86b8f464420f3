/** history verify, as a process against a running operator and its archive. */
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { vexil } from '../support/command-line.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { untilVersionsAreKept } from '../support/in-next-second.ts';
import { type RecordingInstance, startRecordingInstance } from '../support/recording-instance.ts';

const BOOTSTRAP = `*:*.${'5e'.repeat(28)}`;
let instance: RecordingInstance;

const verify = (...args: readonly string[]) =>
  vexil(['history', 'verify', ...args], {
    environment: { VEXIL_SERVER: instance.url, VEXIL_TOKEN: BOOTSTRAP },
  });

beforeAll(async () => {
  instance = await startRecordingInstance('cli-verify', { VEXIL_AUTH: 'token', VEXIL_ADMIN_TOKEN: BOOTSTRAP });
  const ask = adminClient(instance.url, { authorization: BOOTSTRAP });
  await untilVersionsAreKept(ask, 'shop');
  await instance.apply(aFlag(`${instance.home}/checkout`, {}));
  await waitUntil({ what: 'the flag has an entry' }, async () => {
    const { body } = await ask('GET /search/events?feature=IS:checkout');
    return body.total > 0;
  });
}, 60_000);
afterAll(() => instance?.stop());

test('names what was altered, and what is cut off', async () => {
  const intact = await waitUntil({ what: 'all rows are linked' }, async () => {
    const { stdout } = await verify('--output', 'json');
    const verdict = JSON.parse(stdout);
    return verdict.links > 0 && verdict.waiting === 0 && verdict;
  });
  expect(intact).toMatchObject({ found: 0, findings: [] });
  const beyond = await verify('--head', `${intact.last.n + 1000}:${'a'.repeat(64)}`);
  expect([beyond.code, beyond.stdout]).toEqual([1, expect.stringContaining('its end was cut off')]);
  const database = new DatabaseSync(instance.archiveFile);
  database.exec("update entries set created_by = 'mallory' where feature_name = 'checkout'");
  database.close();
  const altered = await verify('--head', `${intact.last.n}:${intact.last.link}`);
  expect([altered.code, altered.stdout]).toEqual([1, expect.stringMatching(/altered: entry \d+ \(feature-.*checkout/)]);
  const wrong = await verify('--head', 'x');
  expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('64 hexadecimal digits')]);
});
