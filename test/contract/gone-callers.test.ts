/** Callers that disconnect before their answer. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aFlag } from '../support/builders.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { readMetric } from '../support/read-metric.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance('gone-callers');
  await instance.apply(aFlag(`${instance.home}/watched`));
});
afterAll(() => instance.stop());

test('a change whose caller has gone is in the log and in the metrics, with status 499', async () => {
  const { hostname, port } = new URL(instance.url);
  const path = '/api/admin/projects/shop/features/watched';
  const body = JSON.stringify([{ op: 'replace', path: '/description', value: 'by a caller who has gone' }]);
  const head = [
    `PATCH ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  const line = await waitUntil({ what: 'the request is in the log' }, () =>
    instance.log.find((one) => one['msg'] === 'http: request answered' && one['path'] === path),
  );
  expect(line).toMatchObject({ method: 'PATCH', status: 499 });
  const route = '/projects/:projectId/features/:featureName';
  const series = `vexil_http_request_duration_seconds_count{method="PATCH",route="${route}",status="499"}`;
  expect(await readMetric(instance.opsUrl, series)).toBe(1);
});
