/** The settings of the audit log need each other, so that nothing is believed from anyone. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';

const tls = { VEXIL_AUDIT_LOG_TLS_CERT_FILE: '/c', VEXIL_AUDIT_LOG_TLS_KEY_FILE: '/k' };

test('without settings there is no log', () => {
  expect(loadConfig({}).auditLog).toBeUndefined();
});

test('a file needs nothing else', () => {
  expect(loadConfig({ VEXIL_AUDIT_LOG_FILE: '/a.log' }).auditLog).toEqual({
    ...{ file: '/a.log', receiver: undefined, lateMs: 300_000 },
  });
});

test('a port needs a certificate, its key, and a proof of the sender', () => {
  const settings = { VEXIL_AUDIT_LOG_PORT: '9443', ...tls, VEXIL_AUDIT_LOG_TOKEN_FILE: '/t' };
  expect(loadConfig(settings).auditLog?.receiver).toMatchObject({ port: 9443, certFile: '/c', tokenFile: '/t' });
});

test.each([
  ['no certificate', { VEXIL_AUDIT_LOG_PORT: '9443', VEXIL_AUDIT_LOG_TOKEN_FILE: '/t' }, 'TLS_CERT_FILE is missing'],
  ['no proof', { VEXIL_AUDIT_LOG_PORT: '9443', ...tls }, 'VEXIL_AUDIT_LOG_CLIENT_CA_FILE are missing'],
  ['no port', tls, 'VEXIL_AUDIT_LOG_PORT is missing'],
  ['the port of the API', { VEXIL_AUDIT_LOG_PORT: '4242', ...tls, VEXIL_AUDIT_LOG_TOKEN_FILE: '/t' }, 'another port'],
  ['a bound that is no time', { VEXIL_AUDIT_LOG_FILE: '/a', VEXIL_AUDIT_LOG_LATE: 'soon' }, 'VEXIL_AUDIT_LOG_LATE'],
])('%s is refused', (_, settings, message) => {
  expect(() => loadConfig(settings)).toThrow(message);
});
