/** Misspelt names are refused with the nearest name; names that Kubernetes injects are accepted. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { settingNames } from '../../../src/config/settings.ts';
import { unknownNames } from '../../../src/config/unknown-names.ts';

const known = { prefix: 'VEXIL_', names: settingNames };

describe('an unknown name', () => {
  test.each([
    ['VEXIL_HTTP_PROT', 'VEXIL_HTTP_PORT'],
    ['VEXIL_HTP_PORT', 'VEXIL_HTTP_PORT'],
    ['VEXIL_ADMINTOKEN', 'VEXIL_ADMIN_TOKEN'],
    ['VEXIL_LOGLEVEL', 'VEXIL_LOG_LEVEL'],
    ['VEXIL_WATCH_NAMESPACE', 'VEXIL_WATCH_NAMESPACES'],
    ['VEXIL_PORT', 'VEXIL_OPS_PORT'],
    ['VEXIL_', 'VEXIL_AUTH'],
  ])('%s is refused with the nearest, %s', (name, nearest) => {
    expect(unknownNames([[name, '8080']], known)).toEqual([
      { path: name, message: `${name} is not a setting; the nearest one is ${nearest}` },
    ]);
  });

  test('does not show its value, which may be a token', () => {
    expect(() => loadConfig({ VEXIL_ADMIN_TOKN: 'very-secret-value' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('very-secret') }),
    );
  });

  test.each(['MY_VEXIL_PORT', 'VEXILLUM', 'vexil_http_port', 'UNLEASH_URL'])('%s is ignored', (name) => {
    expect(unknownNames([[name, 'x']], known)).toEqual([]);
  });

  test('a setting is known', () => {
    expect(
      unknownNames(
        settingNames.map((name) => [name, 'x']),
        known,
      ),
    ).toEqual([]);
  });
});

/**
 * The variables that the kubelet sets for a Service: see "makeEnvVariableName" and "makeLinkVariables" in Kubernetes.
 */
function serviceVariables(prefix: string, address: string): Record<string, string> {
  const link = `tcp://${address}:4242`;
  return {
    [`${prefix}_SERVICE_HOST`]: address,
    [`${prefix}_SERVICE_PORT`]: '4242',
    [`${prefix}_SERVICE_PORT_HTTP_API`]: '4242',
    [`${prefix}_PORT`]: link,
    [`${prefix}_PORT_4242_TCP`]: link,
    [`${prefix}_PORT_4242_TCP_PROTO`]: 'tcp',
    [`${prefix}_PORT_4242_TCP_PORT`]: '4242',
    [`${prefix}_PORT_4242_TCP_ADDR`]: address,
    [`${prefix}_PORT_53_UDP`]: `udp://${address}:53`,
  };
}

describe('a variable that Kubernetes sets for a Service', () => {
  test.each([
    ['vexil', 'VEXIL', '10.0.0.1'],
    ['vexil-api', 'VEXIL_API', '10.0.0.1'],
    ['vexil-admin-2', 'VEXIL_ADMIN_2', 'fd00::12'],
  ])('called %s is accepted', (_, prefix, address) => {
    expect(loadConfig(serviceVariables(prefix, address))).toEqual(loadConfig({}));
  });

  test.each([
    ['vexil-http', 'VEXIL_HTTP', 'VEXIL_HTTP_PORT'],
    ['vexil-ops', 'VEXIL_OPS', 'VEXIL_OPS_PORT'],
  ])('called %s equals a setting: the message explains it', (_, prefix, setting) => {
    const variables = serviceVariables(prefix, '10.0.0.1');
    expect(() => loadConfig(variables)).toThrow(
      expect.objectContaining({
        details: [{ path: setting, message: expect.stringContaining('enableServiceLinks: false') }],
      }),
    );
    expect(loadConfig({ ...variables, [setting]: '5000' })).toBeDefined();
  });

  test.each([
    ['VEXIL_API_PORT', '8080'],
    ['VEXIL_SERVICE_PORT', 'http'],
    ['VEXIL_SERVICE_HOST', 'vexil.flags.svc'],
  ])('never has %s=%s, so that is refused', (name, value) => {
    expect(unknownNames([[name, value]], known)).toHaveLength(1);
  });
});
