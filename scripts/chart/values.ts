/** The schema of the chart's values; their descriptions are in charts/vexil/values.yaml. */
import { z } from 'zod';
import { DNS_LABEL } from '../../src/model/patterns.ts';
import { configSchema } from './settings.ts';
import type { ValueRow } from './value-rows.ts';

const label = z.string().regex(DNS_LABEL);
const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
const optionalName = z.union([z.literal(''), name]);
const words = z.record(z.string(), z.string());
const port = z.int().min(1).max(65_535);
/** Objects that the API server validates. */
const ofKubernetes = z.looseObject({});
const listOfKubernetes = z.array(ofKubernetes);
const duration = z.string().regex(/^(\d+(ms|s|m|h))+$/);
const amount = z.union([z.string().min(1), z.number()]);

const audit = z.strictObject({
  // Helm reads YAML 1.1, where an `off` without quotes is false.
  retention: z.union([z.string().regex(/^(|off|\d{1,9}[hd])$/), z.literal(false)]),
  sqlite: z.strictObject({
    size: amount,
    storageClassName: z.string(),
    accessModes: z.array(z.enum(['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'])).min(1),
    existingClaim: optionalName,
  }),
  postgres: z.strictObject({ existingSecret: optionalName, key: z.string().min(1) }),
});

const defaults = z.strictObject({
  environments: z
    .array(
      z.strictObject({
        name: label,
        type: z.string().min(1).max(50),
        displayName: z.string().max(200).optional(),
        protected: z.boolean().optional(),
        sortOrder: z.int().min(0).max(2_147_483_647).optional(),
      }),
    )
    .max(30),
  project: z.union([z.literal(''), label]),
});

const operation = {
  resources: ofKubernetes,
  terminationGracePeriodSeconds: z.int().min(1).max(3600),
  podDisruptionBudget: z.strictObject({
    enabled: z.boolean(),
    maxUnavailable: z.union([z.int().min(1), z.string().regex(/^\d{1,3}%$/)]),
  }),
  topologySpreadConstraints: listOfKubernetes,
  affinity: ofKubernetes,
  tolerations: listOfKubernetes,
  nodeSelector: words,
  priorityClassName: z.string(),
  podAnnotations: words,
  podLabels: words,
  commonLabels: words,
};

const monitoring = {
  networkPolicy: z.strictObject({
    enabled: z.boolean(),
    apiFrom: listOfKubernetes,
    opsFrom: listOfKubernetes,
    apiServerPorts: z.array(port).min(1),
    postgresPort: port,
    extraEgress: listOfKubernetes,
  }),
  serviceMonitor: z.strictObject({ enabled: z.boolean(), interval: duration, scrapeTimeout: duration, labels: words }),
  prometheusRule: z.strictObject({ enabled: z.boolean(), labels: words, runbookUrl: z.string().min(1) }),
  dashboard: z.strictObject({ enabled: z.boolean(), labels: words, annotations: words, namespace: optionalName }),
};

const access = {
  auth: z.enum(['token', 'none']),
  adminToken: z.strictObject({ create: z.boolean(), existingSecret: optionalName, key: z.string().min(1) }),
  oidcClientSecret: z.strictObject({ existingSecret: optionalName, key: z.string().min(1) }),
  tls: z.strictObject({ secretName: optionalName }),
  serviceAccount: z.strictObject({ create: z.boolean(), name: optionalName, annotations: words }),
  rbac: z.strictObject({ create: z.boolean(), aggregate: z.boolean() }),
  identities: z.boolean(),
  admission: z.strictObject({
    author: z.boolean(),
    protectedEnvironments: z.boolean(),
    freezes: z.boolean(),
    auditEvents: z.boolean(),
    environmentPermissions: z.boolean(),
    // These names are inserted into CEL strings.
    trustedUsers: z.array(z.string().regex(/^[^'\\\s]{1,253}$/)),
  }),
};

const values = z.strictObject({
  image: z.strictObject({
    repository: z.string().min(1),
    tag: z.string().regex(/^([\w][\w.-]{0,127})?$/),
    digest: z.string().regex(/^(sha256:[0-9a-f]{64})?$/),
    pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
  }),
  imagePullSecrets: z.array(z.strictObject({ name })),
  nameOverride: optionalName,
  fullnameOverride: optionalName,
  replicas: z.int().min(0).max(100),
  watch: z.strictObject({ namespaces: z.array(z.union([z.literal('*'), label])).max(100) }),
  ...access,
  audit,
  config: ofKubernetes,
  extraEnv: z.array(z.looseObject({ name: z.string().min(1) })),
  crds: z.strictObject({ install: z.boolean() }),
  defaults,
  service: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']),
    port,
    opsPort: port,
    annotations: words,
    sessionAffinity: z.enum(['', 'ClientIP', 'None']),
  }),
  ...operation,
  ...monitoring,
});

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  description?: string;
}

/** Returns the text of values.schema.json. Values without a row are rejected. */
export function valuesSchema(rows: readonly ValueRow[]): string {
  const { $schema: _, ...generated } = z.toJSONSchema(values, { target: 'draft-7' }) as JsonSchema & {
    $schema?: string;
  };
  const schema = withoutRequired(generated);
  const properties = { ...schema.properties, config: configSchema(), global: { type: 'object' } };
  for (const { path, description } of rows) describe({ properties }, path, description);
  const title = 'Values of the chart vexil';
  const whole = { $schema: 'http://json-schema.org/draft-07/schema#', title, ...schema, properties };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Makes values optional: a missing value has its default, and null removes it. Items of lists have no defaults. */
function withoutRequired({ required: _, properties, ...rest }: JsonSchema): JsonSchema {
  if (properties === undefined) return rest;
  const all = Object.entries(properties).map(([key, one]) => [key, withoutRequired(one)]);
  return { ...rest, properties: Object.fromEntries(all) };
}

function describe(schema: JsonSchema, path: readonly string[], description: string): void {
  const property = path.reduce<JsonSchema | undefined>((outer, key) => outer?.properties?.[key], schema);
  if (property === undefined) throw new Error(`values.yaml has ${path.join('.')}, which the schema does not contain`);
  if (description !== '') property.description ??= description;
}
