/** The endpoint that takes alerts. */
import { pointInTime } from './flag-values.ts';
import type { Rows } from './row.ts';
import * as value from './values.ts';

const INVALID = '400 ValidationError';

const good = {
  status: 'firing',
  labels: { alertname: 'Errors', vexil_flag: 'FLAG', vexil_environment: 'ENVIRONMENT', vexil_action: 'off' },
  annotations: {},
  startsAt: '2026-01-01T00:00:00.123456789Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus.example.com/graph',
  fingerprint: '1a30ba71cca2921f',
};
const alerts = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ ...good, labels: {} })));
const wrong = (rows: Readonly<Record<string, string>>) =>
  Object.entries(rows).map(([what, json]) => [what, json, INVALID] as const);

export const alertRows: Rows = {
  'POST /alerts': {
    need: ['ALERT_ACTION', 'environment'],
    kubectl: ['patch featureflags FLAG'],
    body: { version: '4', alerts: [good], externalURL: 'http://alertmanager.example.com' },
    properties: {
      version: [...value.required, ...value.word('4'), ['a number', '4', INVALID]],
      alerts: [
        ...value.required,
        ['none', '[]', 'good'],
        ['100', alerts(100), 'good'],
        ['101', alerts(101), INVALID],
        ...wrong({ 'an object': '{}', 'a text': '"x"', 'a list of texts': '["x"]' }),
      ],
      'alerts/0/status': [...value.required, ...value.word('firing'), ['the other', '"resolved"', 'good']],
      'alerts/0/labels': [
        ...value.required,
        ['none', '{}', 'good'],
        ['constructor', '{"constructor":"x"}', 'good'],
        ['__proto__', '{"__proto__":"x"}', INVALID],
        ...wrong({ 'a list': '[]', 'a text': '"x"', 'a number in it': '{"a":1}', 'a list in it': '{"a":[]}' }),
      ],
      'alerts/0/annotations': [
        ...value.notNull,
        ...wrong({ 'a list': '[]', 'a number in it': '{"a":1}', 'a long text in it': `{"a":"${'x'.repeat(16_385)}"}` }),
      ],
      'alerts/0/startsAt': [...value.required, ...pointInTime],
      'alerts/0/fingerprint': [
        ...value.required,
        ['64 digits', `"${'a'.repeat(64)}"`, 'good'],
        ...wrong({
          '65 digits': `"${'a'.repeat(65)}"`,
          'an empty text': '""',
          'in capitals': '"ABC"',
          'a number': '1',
        }),
      ],
      'alerts/0/generatorURL': [...value.notNull, ['no link', '"x y"', 'good'], ['a number', '1', INVALID]],
      externalURL: [...value.notNull, ['no link', '"x y"', 'good'], ['a number', '1', INVALID]],
    },
    unversioned: 'alerts know no version',
    unowned: 'answers each alert on its own: alerts.test.ts',
  },
};
