/** The objects that the chart renders for values: valid manifests, or a refusal that says what to do. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load-config.ts';
import { kinds } from '../../src/schema/kinds.ts';
import { aFlag } from '../support/builders.ts';
import { DEFAULT_OBJECTS, type Row, refused, rows } from '../support/chart/matrix.ts';
import { rolesOfChart } from '../support/chart/roles-of-chart.ts';
import { sharedCluster } from '../support/cluster.ts';
import { abilitiesOf } from '../support/control-plane/abilities.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { type OperatorRoles, type RoleObject, rolesOfConfig } from '../support/operator-roles.ts';
import type { Stored } from '../support/stored.ts';
import { writeClusterSchemas } from '../support/tools/cluster-schemas.ts';
import { type Helm, projectHelm, templateArgs } from '../support/tools/helm.ts';
import { complaintsOfKubeconform } from '../support/tools/kubeconform.ts';
import { monitoringDefinitions } from '../support/tools/monitoring-definitions.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOME = 'home';
const IN_CLUSTER = /^(ClusterRole|CustomResourceDefinition|(Mutating|Validating)AdmissionPolicy)/;
/** Without the CRDs, which are nine tenths of the text. */
const withoutDefinitions = { crds: { install: false } };
const OURS = new Set(kinds.map(({ kind }) => kind as string));

const cluster = sharedCluster();
const { recordsAuthors, sorts } = await abilitiesOf(cluster);
let helm: Helm;
let schemas: string;

beforeAll(async () => {
  helm = await projectHelm();
  const files = (await monitoringDefinitions()).flatMap((path) => ['--filename', path]);
  await cluster.kubectlOrThrow(['apply', '--server-side', ...files]);
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const namespaces = [{ name: HOME, labels }, { name: 'shop' }, { name: 'billing' }];
  await cluster.apply(namespaces.map((metadata) => ({ apiVersion: 'v1', kind: 'Namespace', metadata })));
  schemas = await mkdtemp(join(tmpdir(), 'vexil-schemas-'));
  const document = await waitUntil({ what: 'the API server describes all kinds' }, async () => {
    const text = await cluster.kubectlOrThrow(['get', '--raw', '/openapi/v2']);
    return text.includes('PrometheusRule') && text.includes('ServiceMonitor') && JSON.parse(text);
  });
  await writeClusterSchemas(schemas, document, (kind) => !OURS.has(kind));
});

afterAll(async () => {
  await helm?.end();
  if (schemas) await rm(schemas, { recursive: true, force: true });
});

const render = ({ values, options }: Row) => helm.template(values, { namespace: HOME, ...options });

function titleOf({ kind, metadata }: Stored): string {
  const elsewhere = metadata.namespace !== undefined && metadata.namespace !== HOME;
  return `${kind}/${metadata.name}${elsewhere ? `@${metadata.namespace}` : ''}`;
}

const operatorIn = (objects: readonly Stored[]): Stored => {
  const [container] = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers;
  return container;
};

/** The rows that this API server can judge. */
const known = Object.entries(rows).filter(([, { options }]) => recordsAuthors || options?.apiVersions === undefined);

describe.each(known)('with %s', (_, row) => {
  let objects: readonly Stored[];
  beforeAll(async () => {
    objects = await render(row);
  });

  test('the chart renders the expected objects, all of known kinds with known fields', async () => {
    const { more = [], less = [] } = row;
    const wanted = [...DEFAULT_OBJECTS.filter((title) => !less.includes(title)), ...more];
    expect(objects.map(titleOf).sort()).toEqual(wanted.toSorted());
    expect(await complaintsOfKubeconform(schemas, objects)).toEqual([]);
    for (const { kind, metadata } of objects) {
      expect([kind, metadata.namespace === undefined]).toEqual([kind, IN_CLUSTER.test(kind)]);
      if (kind === 'CustomResourceDefinition') continue;
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/name': 'vexil',
      });
    }
  });

  test('the operator takes the settings that it is given', () => {
    const { env } = operatorIn(objects);
    // Allowed values that stand for the ones in Secrets.
    const secret = {
      VEXIL_ADMIN_TOKEN: 'a-token-of-sixteen',
      VEXIL_OIDC_CLIENT_SECRET: 'a-secret',
      VEXIL_AUDIT_URL: 'postgres://user@database/vexil',
    };
    const variables = env.map(({ name, value }: Stored) => [name, value ?? secret[name as keyof typeof secret]]);
    const environment = Object.fromEntries(variables);
    expect(Object.keys(environment)).toHaveLength(env.length);
    expect(loadConfig(environment).namespace).toBe(HOME);
    const recorded = Object.keys(row.environment ?? {}).map((name) => [name, environment[name]]);
    expect(Object.fromEntries(recorded)).toEqual(row.environment ?? {});
  });
});

test('without values, the image is the one that make image builds, and a node that has it does not pull it', async () => {
  const objects = await render({ values: withoutDefinitions });
  const { stdout } = await promisify(execFile)('make', ['--dry-run', 'image'], { cwd: ROOT });
  const [, built] = / build --tag (\S+)/.exec(stdout) ?? [];
  expect(operatorIn(objects)).toMatchObject({ image: built, imagePullPolicy: 'IfNotPresent' });
});

test('kubeconform names an unknown field, a value of another type, and an unknown kind', async () => {
  const wrong = [
    { ...aFlag('home/f'), spec: { descripton: 'x' } },
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 'http', prot: 'TCP' }] } },
    { apiVersion: 'example.com/v1', kind: 'Hope', metadata: { name: 'h' } },
  ];
  const [flag, hope, service] = await complaintsOfKubeconform(schemas, wrong);
  expect(flag).toMatch(/^FeatureFlag f: .*descripton/);
  expect(service).toMatch(/^Service s: .*(prot|port)/);
  expect(hope).toMatch(/^Hope h: .*could not find schema/);
});

/** All options at once, in two rows, because some exclude each other. */
const wholes: Readonly<Record<string, Row>> = {
  'one replica': {
    values: {
      ...rows['all that can be watched']?.values,
      ...{ watch: { namespaces: ['shop', 'billing'] }, crds: { install: true } },
    },
    ...(recordsAuthors && { options: { apiVersions: ['admissionregistration.k8s.io/v1/MutatingAdmissionPolicy'] } }),
  },
  'two replicas': {
    values: {
      ...{ replicas: 2, audit: { postgres: { existingSecret: 'archive' } }, watch: { namespaces: ['*'] } },
      ...{ tls: { secretName: 'certificate' }, admission: { environmentPermissions: sorts }, crds: { install: false } },
    },
  },
};

describe.each(Object.entries(wholes))('%s with all options', (_, row) => {
  let objects: readonly Stored[];
  beforeAll(async () => {
    objects = await render(row);
  });
  const asInput = (some: readonly Stored[]) => some.map((object) => JSON.stringify(object)).join('\n---\n');

  test('passes the linter without warnings', async () => {
    const { code, stdout } = await helm.run(['lint', '--strict', helm.chart, '--namespace', HOME], row.values);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/1 chart\(s\) linted, 0 chart\(s\) failed/)]);
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
  });

  test('is accepted by the API server without warnings', async () => {
    const args = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '-f', '-'];
    const { code, stderr } = await cluster.kubectl(args, { input: asInput(objects) });
    expect([code, stderr]).toEqual([0, '']);
  });

  test('has only pods that the restricted standard allows', async () => {
    const templates = objects.flatMap(({ kind, spec }) =>
      spec?.template ? [spec.template] : kind === 'Pod' ? [{ spec }] : [],
    );
    expect(templates).toHaveLength(3);
    const pods = templates.map(({ spec }, index) => {
      return { apiVersion: 'v1', kind: 'Pod', metadata: { name: `probe-${index}`, namespace: HOME }, spec };
    });
    const { code, stderr } = await cluster.kubectl(['create', '--dry-run=server', '-f', '-'], { input: asInput(pods) });
    expect([code, stderr]).toEqual([0, '']);
  });
});

test('two or more replicas are spread, replaced one by one, drained one by one, and keep a caller on one replica', async () => {
  const values = { replicas: 3, audit: { postgres: { existingSecret: 'archive' } }, ...withoutDefinitions };
  const objects = await render({ values });
  const one = (kind: string) => objects.find((object) => object.kind === kind);
  const { replicas, strategy, selector, template } = one('Deployment').spec;
  expect([replicas, strategy]).toEqual([
    3,
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  ]);
  expect(template.spec.topologySpreadConstraints[0].labelSelector).toEqual(selector);
  expect(template.metadata.labels).toMatchObject(selector.matchLabels);
  expect(one('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1, selector });
  expect(one('Service').spec).toMatchObject({ selector: selector.matchLabels, sessionAffinity: 'ClientIP' });
});

test('the operator gets exactly the rights in config/rbac, wherever it watches', async () => {
  const fromConfig = await rolesOfConfig();
  const grants = (roles: OperatorRoles) => ({
    home: roles.home.map(grantOf),
    watched: roles.watched.map(grantOf),
    reviews: roles.reviews.map(grantOf),
  });
  expect(grants(await rolesOfChart(helm))).toEqual(grants(fromConfig));

  const objects = await render({ values: { ...withoutDefinitions, watch: { namespaces: ['shop'] } } });
  const flags = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'vexil-flags');
  expect(flags.map(({ metadata }) => metadata.namespace).sort()).toEqual([HOME, 'shop']);
  const everywhere = await render({ values: { ...withoutDefinitions, watch: { namespaces: ['*'] } } });
  const wide = everywhere.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'vexil-flags');
  for (const { rules } of [...flags, wide]) expect(rules).toEqual(fromConfig.watched[0]?.rules);
});

test('the operator reads Secrets of sinks in the namespaces that are named, with the rights of the opt-in', async () => {
  const values = { ...withoutDefinitions, rbac: { sinkSecrets: ['shop', HOME, 'shop'] } };
  const objects = await render({ values });
  const granted = objects.filter(({ metadata }) => metadata.name === 'vexil-notification-secrets');
  const file = await readFile(join(ROOT, 'config/rbac/opt-in/notification-secrets.yaml'), 'utf8');
  expect(granted.map(({ metadata }) => metadata.namespace)).toEqual(['shop', 'shop']);
  expect(granted.map(grantOf)).toEqual(parseAllDocuments(file).map((one) => grantOf(one.toJS())));
});

/** The rights that an object grants, without labels. */
const grantOf = ({ kind, rules, roleRef, subjects }: RoleObject) => {
  const names = subjects?.map((subject) => ({ ...subject, namespace: 'home' }));
  return { kind, rules, roleRef, subjects: names };
};

test.each(Object.entries(refused))('%s: refused, with instructions', async (_, [values, words, options]) => {
  const { code, stdout, stderr } = await helm.run(templateArgs(options), values);
  expect([code, stdout]).toEqual([1, '']);
  for (const word of [words].flat()) expect(stderr).toMatch(word);
});
