/** The shapes of values that every chart of this repository has. */
import { z } from 'zod';
import { DNS_LABEL } from '../../src/model/patterns.ts';

export const label = z.string().regex(DNS_LABEL);
const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
export const optionalName = z.union([z.literal(''), name]);
export const words = z.record(z.string(), z.string());
export const port = z.int().min(1).max(65_535);
/** Objects that the API server validates. */
export const ofKubernetes = z.looseObject({});
export const listOfKubernetes = z.array(ofKubernetes);
const duration = z.string().regex(/^(\d+(ms|s|m|h))+$/);
export const amount = z.union([z.string().min(1), z.number()]);

export const environment = z.array(z.looseObject({ name: z.string().min(1) }));

/** The image, and the names of objects. */
export const names = {
  image: z.strictObject({
    repository: z.string().min(1),
    tag: z.string().regex(/^([\w][\w.-]{0,127})?$/),
    digest: z.string().regex(/^(sha256:[0-9a-f]{64})?$/),
    pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
  }),
  imagePullSecrets: z.array(z.strictObject({ name })),
  nameOverride: optionalName,
  fullnameOverride: optionalName,
};

/** How pods run. */
export const operation = {
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

export const serviceMonitor = { enabled: z.boolean(), interval: duration, scrapeTimeout: duration, labels: words };

export const alertsAndDashboard = {
  prometheusRule: z.strictObject({ enabled: z.boolean(), labels: words, runbookUrl: z.string().min(1) }),
  dashboard: z.strictObject({ enabled: z.boolean(), labels: words, annotations: words, namespace: optionalName }),
};
