/** The address of a caller behind proxies: in constraints of flags, in the history, and in the limit of requests. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Constraint } from '../../src/schema/constraint.ts';
import { adminClient } from '../support/admin-client.ts';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { recorded } from '../support/recorded-events.ts';
import { untilRecording } from '../support/until-recording.ts';

const NETWORKS = ['203.0.113.0/24', '2001:db8::/32'];
let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('forwarded', { settings: { VEXIL_TRUST_PROXY: '1' } });
  const { cluster, home } = instance;
  const inCidr: Constraint = { contextName: 'remoteAddress', operator: 'IN_CIDR', values: NETWORKS };
  const strategies = { office: { name: 'default', constraints: [inCidr] } };
  await instance.apply(aFlag(`${home}/office`, { environments: { development: { enabled: true, strategies } } }));
  await untilRecording(cluster, instance.call, { flag: '/projects/shop/features/office', namespace: home });
});
afterAll(() => instance.stop());

/** As proxies of Azure, IIS, nginx and Envoy write them. */
const forms = [
  ['x-forwarded-for', '203.0.113.7', '203.0.113.7'],
  ['x-forwarded-for', '203.0.113.7:51234', '203.0.113.7'],
  ['x-forwarded-for', '198.51.100.1, 203.0.113.7:51234', '203.0.113.7'],
  ['x-forwarded-for', '[2001:db8::1]:51234', '2001:db8::1'],
  ['x-forwarded-for', '[2001:db8::1]', '2001:db8::1'],
  ['forwarded', 'for=203.0.113.7;proto=https', '203.0.113.7'],
  ['forwarded', 'for=198.51.100.1, For="[2001:db8::1]:4711";by=10.0.0.1', '2001:db8::1'],
] as const;

test.each(forms)('%s: %s is %s', async (header, value, address) => {
  const call = adminClient(instance.url, { [header]: value });
  expect((await call('GET //api/frontend')).body.toggles).toMatchObject([{ name: 'office' }]);
  const outside = adminClient(instance.url, {
    [header]: value.replace('203.0.113', '198.51.100').replace('db8', 'db9'),
  });
  expect((await outside('GET //api/frontend')).body.toggles).toEqual([]);

  const description = `by ${header} ${value}`;
  await call('PATCH /projects/shop/features/office', {
    body: [{ op: 'replace', path: '/description', value: description }],
  });
  const entry = await waitUntil({ what: 'the change is recorded' }, async () =>
    (await recorded(instance.call, 'type=IS:feature-metadata-updated')).find(
      ({ data }) => data.description === description,
    ),
  );
  expect(entry['ip']).toBe(address);
});
