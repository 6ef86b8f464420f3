/** The clock of a replica differs from that of the API server: each step that an action begins is recorded once. */
import { expect, test } from 'vitest';
import { adminClient } from '../support/admin-client.ts';
import { aFlag, anEnvironment, aProject } from '../support/builders.ts';
import { sharedCluster } from '../support/cluster.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles } from '../support/operator-roles.ts';
import { untilRecorded } from '../support/recorded-events.ts';
import { startApp } from '../support/running-app.ts';
import { untilRecording } from '../support/until-recording.ts';

const cluster = sharedCluster();
const PLACE = '/projects/shop/features/ramp/environments/production/strategies/s/ramp';

test.each([-20_000, 1500])('%i ms ahead', async (aheadMs) => {
  const home = await cluster.freshNamespace('skew');
  const steps = [{ rollout: 5, for: '1h' }, { rollout: 25, for: '2h' }, { rollout: 100 }];
  const strategies = { s: { name: 'flexibleRollout', ramp: { steps } } };
  const flag = aFlag(`${home}/ramp`, { environments: { production: { enabled: true, strategies } } });
  await cluster.apply([anEnvironment(`${home}/production`), aProject(`${home}/shop`), aFlag(`${home}/first`), flag]);
  const KUBECONFIG = await grantOperatorRoles(cluster, home, []);
  const app = await startApp({ KUBECONFIG, VEXIL_NAMESPACE: home }, () => Date.now() + aheadMs);
  await app.ready();
  const call = adminClient(app.url);
  await untilRecording(cluster, call, { flag: '/projects/shop/features/first', namespace: home });
  const judged = () =>
    waitUntil({ what: 'the flag is judged' }, async () => {
      const { metadata, status } = await cluster.getObject('featureflags/ramp', home);
      return status?.observedGeneration === metadata.generation;
    });
  const filter = 'feature=IS:ramp&type=IS:feature-ramp-step';
  let begun = 0;
  for (const [action, step] of [['start'], ['pause'], ['resume'], ['skip', 2], ['pause'], ['resume'], ['skip', 1]]) {
    await judged();
    expect((await call(`POST ${PLACE}`, { body: { action, step } })).status, `${action}`).toBe(200);
    if (action === 'start' || action === 'skip') begun += 1;
    await untilRecorded(call, filter, begun);
  }
  await judged();
  const found = await untilRecorded(call, filter, begun);
  expect(found.map(({ data }) => data.step)).toEqual([1, 2, 1]);
  await app.stop();
});
