/** The request that an alert of Alertmanager makes. */
import { expect, test } from 'vitest';
import { alertsBody, readAlerts } from '../../../../src/wire/admin/alert-input.ts';

const labels = { alertname: 'Errors', vexil_flag: 'f', vexil_environment: 'production', vexil_action: 'off' };
const sent = { status: 'firing', labels, startsAt: '2026-03-01T10:30:00.123456789+01:00', fingerprint: 'a1' };

function read(alert: object, externalURL?: string) {
  const body = { version: '4', alerts: [{ ...sent, ...alert }], ...(externalURL && { externalURL }) };
  const [one] = readAlerts(alertsBody.parse(body));
  return one;
}

test('the labels of an alert determine the request, with its start in ms', () => {
  expect(read({})).toEqual({
    name: 'Errors',
    fingerprint: 'a1',
    asks: {
      ...{ name: 'Errors', link: '', fingerprint: 'a1', startsAt: Date.parse('2026-03-01T09:30:00.123Z') },
      ...{ state: 'firing', action: 'off', resumes: false },
      ...{ flag: 'f', environment: 'production', project: undefined },
    },
  });
});

test('annotations add what labels lack, and labels take precedence', () => {
  const annotations = { vexil_action: 'pause-ramp', vexil_project: 'shop', vexil_on_resolved: 'resume' };
  expect(read({ annotations })?.asks).toMatchObject({ action: 'off', project: 'shop', resumes: true });
  const { vexil_action: _, ...rest } = labels;
  expect(read({ labels: rest, annotations })?.asks).toMatchObject({ action: 'pause-ramp' });
});

test.each<[string, object, unknown]>([
  ['without a flag it asks for nothing', { vexil_flag: '' }, undefined],
  ['without an environment', { vexil_environment: '' }, expect.stringContaining('without vexil_environment')],
  ['without an action', { vexil_action: '' }, expect.stringContaining('must be one of off, pause-ramp')],
  ['with a wrong end', { vexil_on_resolved: 'off' }, expect.stringContaining('must be resume')],
])('%s', (_, changed, want) => {
  expect(read({ labels: { ...labels, ...changed } })?.asks).toEqual(want);
});

test('the link is a valid web address, otherwise that of Alertmanager', () => {
  const linkOf = (generatorURL: string) => {
    const asks = read({ generatorURL }, 'https://alertmanager.example.com')?.asks;
    return typeof asks === 'object' ? asks.link : undefined;
  };
  expect(linkOf('http://prometheus/graph?g0.expr=a')).toBe('http://prometheus/graph?g0.expr=a');
  for (const other of ['', 'javascript:alert(1)', 'http://a b', `http://${'x'.repeat(500)}`]) {
    expect(linkOf(other)).toBe('https://alertmanager.example.com');
  }
});

test('a name is one line of at most 200 characters, and the fingerprint if there is none', () => {
  const nameOf = (alertname: string) => read({ labels: { ...labels, alertname } })?.name;
  expect([nameOf('a\nb'), nameOf('x'.repeat(300)), nameOf('')]).toEqual(['a b', 'x'.repeat(200), 'a1']);
});
