/** The schema of the values of the chart vexil-edge; their descriptions are in charts/vexil-edge/values.yaml. */
import { z } from 'zod';
import type { ValueRow } from '../value-rows.ts';
import {
  alertsAndDashboard,
  amount,
  environment,
  listOfKubernetes,
  names,
  ofKubernetes,
  operation,
  optionalName,
  port,
  serviceMonitor,
  words,
} from '../value-shapes.ts';
import { writeValuesSchema } from '../values-schema.ts';
import { edgeConfigSchema } from './edge-settings.ts';

const inSecret = z.strictObject({ existingSecret: optionalName, key: z.string().regex(/^[-\w.]+$/) });
const secretName = z.strictObject({ secretName: optionalName });
const count = z.int().min(1).max(1000);

const values = z.strictObject({
  ...names,
  replicas: z.int().min(0).max(1000),
  autoscaling: z.strictObject({
    enabled: z.boolean(),
    minReplicas: count,
    maxReplicas: count,
    targetCPUUtilizationPercentage: count,
    behavior: ofKubernetes,
  }),
  upstream: z.strictObject({
    // Values are no place for credentials, and a comma separates URLs.
    urls: z.array(z.string().regex(/^https?:\/\/[^\s,@?#]+$/)).max(20),
    ca: inSecret,
    clientCertificate: secretName,
    headers: inSecret,
  }),
  tokens: inSecret,
  backup: z.strictObject({
    enabled: z.boolean(),
    size: amount,
    persistent: z.strictObject({
      enabled: z.boolean(),
      storageClassName: z.string(),
      accessModes: z.array(z.enum(['ReadWriteOnce', 'ReadWriteOncePod'])).min(1),
    }),
  }),
  config: ofKubernetes,
  extraEnv: environment,
  tls: secretName,
  serviceAccountName: optionalName,
  service: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']),
    port,
    annotations: words,
    trafficDistribution: z.string(),
  }),
  ...operation,
  networkPolicy: z.strictObject({
    enabled: z.boolean(),
    from: listOfKubernetes,
    upstreamTo: listOfKubernetes,
    upstreamPorts: z.array(port),
    extraEgress: listOfKubernetes,
  }),
  serviceMonitor: z.strictObject({ ...serviceMonitor, tlsConfig: ofKubernetes }),
  ...alertsAndDashboard,
});

/** Returns the text of values.schema.json. Values without a row are rejected. */
export function edgeValuesSchema(rows: readonly ValueRow[]): string {
  return writeValuesSchema({ chart: 'vexil-edge', values, config: edgeConfigSchema(), rows });
}
