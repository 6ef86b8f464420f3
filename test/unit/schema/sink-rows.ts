/** Specs of notification sinks at both sides of each rule, pattern and bound. */
import { fits, long, many, refused } from './spec-row.ts';

const webhook = { type: 'Webhook', url: 'https://example.com/hook?for=vexil' };
const nats = { type: 'NATS', url: 'tls://nats.example.com:4222', subject: 'vexil.changes' };
const names = (count: number) => many(count, (index) => `name-${index}`);

export const sinkRows = [
  fits('a webhook', webhook),
  fits('a webhook without a path', { ...webhook, url: 'http://example.com:8080' }),
  refused('a webhook without a url', { type: 'Webhook' }, ['spec', 'Webhook, Grafana and NATS need a url']),
  fits('Slack', { type: 'Slack', secretRef: { name: 'key' } }),
  fits('Grafana', { type: 'Grafana', url: 'https://grafana.example.com', secretRef: { name: 'key' } }),
  refused('Slack with a url', { ...webhook, type: 'Slack', secretRef: { name: 'key' } }, ['spec', 'is in the Secret']),
  refused('Teams without a Secret', { type: 'Teams' }, ['spec', 'Slack, Teams and Grafana need a secretRef']),
  refused('Slack with a format', { type: 'Slack', secretRef: { name: 'key' }, format: 'Binary' }, [
    'spec',
    'only Webhook and NATS have a format',
  ]),
  fits('NATS', { ...nats, format: 'Binary' }),
  fits('NATS without TLS', { ...nats, url: 'nats://10.0.0.1' }),
  refused('NATS without a subject', { type: 'NATS', url: nats.url }, ['spec', 'NATS needs a subject']),
  refused('NATS without a url', { type: 'NATS', subject: 'vexil' }, ['spec', 'need a url']),
  refused('a webhook with a subject', { ...webhook, subject: 'vexil' }, ['spec', 'no other type has one']),
  refused('NATS by https', { ...nats, url: webhook.url }, ['spec', 'begins with nats:// or tls://']),
  refused('a webhook at NATS', { ...webhook, url: nats.url }, ['spec', 'begins with nats:// or tls://']),
  refused('NATS with two servers', { ...nats, url: 'tls://a.example.com,b.example.com' }, [
    'spec.url',
    /should match|Too long/,
  ]),
  refused('NATS with a password in its url', { ...nats, url: 'tls://me:word@example.com' }, [
    'spec.url',
    /should match|Too long/,
  ]),
  refused('a subject with a wildcard', { ...nats, subject: 'vexil.>' }, ['spec.subject', 'should match']),
  refused('a subject with an empty part', { ...nats, subject: 'vexil..a' }, ['spec.subject', 'should match']),
  refused('a subject too long', { ...nats, subject: long(201) }, ['spec.subject', '200']),
  refused('an unknown type', { ...webhook, type: 'Pager' }, ['spec.type', 'Unsupported value']),
  refused('a url with a password', { ...webhook, url: 'https://me:word@example.com/' }, [
    'spec.url',
    /should match|Too long/,
  ]),
  refused('a url of another protocol', { ...webhook, url: 'gopher://example.com/' }, [
    'spec.url',
    /should match|Too long/,
  ]),
  refused('a url with a fragment', { ...webhook, url: 'https://example.com/#x' }, [
    'spec.url',
    /should match|Too long/,
  ]),
  refused('a url too long', { ...webhook, url: `https://example.com/${long(1981)}` }, [
    'spec.url',
    /should match|Too long/,
  ]),
  fits('a Secret', { ...webhook, secretRef: { name: 'key' } }),
  refused('a Secret without a name', { ...webhook, secretRef: { name: '' } }, ['spec.secretRef.name', 'at least 1']),
  fits('a form', { ...webhook, format: 'Binary' }),
  refused('an unknown form', { ...webhook, format: 'Xml' }, ['spec.format', 'Unsupported value']),
  fits('an age', { ...webhook, maxAge: '36h' }),
  refused('an age without a unit', { ...webhook, maxAge: '36' }, ['spec.maxAge', 'should match']),
  refused('an age of nothing', { ...webhook, maxAge: '0m' }, ['spec.maxAge', 'should match']),
  fits('plain addresses', { ...webhook, emailAddresses: 'Plain' }),
  refused('another form of addresses', { ...webhook, emailAddresses: 'None' }, [
    'spec.emailAddresses',
    'Unsupported value',
  ]),
  fits('filters', { ...webhook, filter: { projects: names(100), environments: null, types: ['feature-created'] } }),
  refused('too many projects', { ...webhook, filter: { projects: names(101) } }, ['spec.filter.projects', '100']),
  refused('a type twice', { ...webhook, filter: { types: ['a', 'a'] } }, ['spec.filter.types[1]', 'Duplicate value']),
  refused('an empty environment', { ...webhook, filter: { environments: [''] } }, [
    'spec.filter.environments[0]',
    'at least 1',
  ]),
  fits('a long expression', { ...webhook, filter: { expression: long(1024) } }),
  refused('an expression too long', { ...webhook, filter: { expression: long(1025) } }, [
    'spec.filter.expression',
    '1024',
  ]),
];
