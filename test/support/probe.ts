/** A small separate kind for the tests of src/kube. */
import { z } from 'zod';
import type { Kind } from '../../src/model/kind.ts';
import type { CustomObject } from '../../src/model/object.ts';

const part = z.object({ on: z.boolean().optional(), size: z.number().int().max(100).optional() });

const probeSpec = z.object({
  group: z.string().max(20).optional(),
  note: z.string().optional(),
  parts: z.record(z.string(), part).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  list: z.array(z.string()).optional(),
});

const probeStatus = z.object({ seen: z.number().optional(), kept: z.number().optional() });

export type ProbeSpec = z.infer<typeof probeSpec>;
export type ProbeStatus = z.infer<typeof probeStatus>;
export type Probe = CustomObject<ProbeSpec, ProbeStatus>;

export const PROBE: Kind<ProbeSpec, ProbeStatus> = {
  kind: 'Probe',
  plural: 'probes',
  singular: 'probe',
  shortNames: [],
  description: 'A probe.',
  namespaces: 'watched',
  spec: probeSpec,
  status: probeStatus,
  columns: [],
  selectableFields: ['spec.group'],
  rootRules: [],
  preservedStatus: ['kept'],
  preserveNulls: ['parameters'],
  independentMaps: ['parts'],
};

const preserveNulls = { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true };

const partProperties = { on: { type: 'boolean' }, size: { type: 'integer', maximum: 100 } };

const specProperties = {
  group: { type: 'string', maxLength: 20 },
  note: { type: 'string' },
  parts: {
    type: 'object',
    nullable: true,
    additionalProperties: { type: 'object', nullable: true, properties: partProperties },
  },
  parameters: preserveNulls,
  list: { type: 'array', nullable: true, items: { type: 'string' } },
};

const probeVersion = {
  name: 'v1beta1',
  served: true,
  storage: true,
  subresources: { status: {} },
  selectableFields: [{ jsonPath: '.spec.group' }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', nullable: true, properties: specProperties },
        status: { type: 'object', properties: { seen: { type: 'integer' } } },
      },
    },
  },
};

/** The definition of the kind, as YAML that `kubectl apply` takes. */
export const PROBE_CRD = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'probes.vexil.dev' },
  spec: {
    group: 'vexil.dev',
    scope: 'Namespaced',
    names: { kind: 'Probe', plural: 'probes', singular: 'probe' },
    versions: [probeVersion],
  },
});

export interface RawProbe {
  readonly name?: string;
  readonly uid?: string;
  readonly version: string | number;
  readonly spec?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A probe as the API server would send it. */
export function rawProbe(probe: RawProbe) {
  const { name = 'a', uid = `uid-${name}`, version, metadata = {} } = probe;
  return {
    apiVersion: 'vexil.dev/v1beta1',
    kind: 'Probe',
    metadata: {
      namespace: 'home',
      name,
      uid,
      resourceVersion: String(version),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: 'spec' in probe ? probe.spec : {},
  };
}
