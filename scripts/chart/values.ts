/** The schema of the chart's values; their descriptions are in charts/vexil/values.yaml. */
import { z } from 'zod';
import { configSchema } from './settings.ts';
import type { ValueRow } from './value-rows.ts';
import {
  alertsAndDashboard,
  amount,
  environment,
  label,
  listOfKubernetes,
  names,
  ofKubernetes,
  operation,
  optionalName,
  port,
  serviceMonitor,
  words,
} from './value-shapes.ts';
import { writeValuesSchema } from './values-schema.ts';

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
  export: z.strictObject({ url: z.string().regex(/^$|^(file|s3):\/\//), volume: ofKubernetes }),
  signing: z.strictObject({ secretName: optionalName, key: z.string().min(1) }),
  log: z.strictObject({
    receiver: z.strictObject({
      secretName: optionalName,
      token: z.boolean(),
      clientCa: z.boolean(),
      port,
      clusterIP: z.string(),
    }),
    file: z.strictObject({ volume: ofKubernetes, name: z.string().regex(/^[^/]{1,255}$/) }),
  }),
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

const monitoring = {
  networkPolicy: z.strictObject({
    enabled: z.boolean(),
    apiFrom: listOfKubernetes,
    opsFrom: listOfKubernetes,
    auditLogFrom: listOfKubernetes,
    apiServerPorts: z.array(port).min(1),
    postgresPort: port,
    extraEgress: listOfKubernetes,
  }),
  serviceMonitor: z.strictObject(serviceMonitor),
  ...alertsAndDashboard,
};

const access = {
  auth: z.enum(['token', 'none']),
  adminToken: z.strictObject({ create: z.boolean(), existingSecret: optionalName, key: z.string().min(1) }),
  oidcClientSecret: z.strictObject({ existingSecret: optionalName, key: z.string().min(1) }),
  tls: z.strictObject({ secretName: optionalName }),
  serviceAccount: z.strictObject({ create: z.boolean(), name: optionalName, annotations: words }),
  rbac: z.strictObject({ create: z.boolean(), aggregate: z.boolean(), sinkSecrets: z.array(label).max(100) }),
  identities: z.boolean(),
  admission: z.strictObject({
    author: z.boolean(),
    protectedEnvironments: z.boolean(),
    freezes: z.boolean(),
    approvals: z.boolean(),
    auditEvents: z.boolean(),
    environmentPermissions: z.boolean(),
    // These names are inserted into CEL strings.
    trustedUsers: z.array(z.string().regex(/^[^'\\\s]{1,253}$/)),
  }),
};

const values = z.strictObject({
  ...names,
  replicas: z.int().min(0).max(100),
  watch: z.strictObject({ namespaces: z.array(z.union([z.literal('*'), label])).max(100) }),
  ...access,
  audit,
  config: ofKubernetes,
  extraEnv: environment,
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

/** Returns the text of values.schema.json. Values without a row are rejected. */
export function valuesSchema(rows: readonly ValueRow[]): string {
  return writeValuesSchema({ chart: 'vexil', values, config: configSchema(), rows });
}
