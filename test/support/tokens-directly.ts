/** The API tokens of a namespace with their Secrets, without the operator. Every seen value is remembered. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { ClusterError } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { type Call, connect } from '../../src/kube/api/transport.ts';
import type { ApiTokenSpec } from '../../src/schema/api-token.ts';
import { aToken } from './builders.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import { expectHealthyStatus } from './expect-healthy-status.ts';
import type { Stored } from './stored.ts';

export type TokensDirectly = ReturnType<typeof tokensDirectly>;

export interface SecretParts {
  readonly value?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly owners?: readonly object[];
}

export function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** The kubeconfig may do everything. */
export function tokensDirectly(kubeconfig: string, home: string) {
  const transport = connect(loadKubeConfig(kubeconfig));
  const values = new Set<string>();
  const at = (plural: string, name = '') =>
    plural === 'secrets'
      ? `/api/v1/namespaces/${home}/secrets/${name}`
      : `/apis/vexil.dev/v1beta1/namespaces/${home}/${plural}/${name}`;
  const request = (call: Call): Promise<Stored> => transport.request(call);
  const merge = (path: string, body: object) =>
    request({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });

  const token = (name: string) => request({ method: 'GET', path: at('apitokens', name) });
  const secret = async (name: string): Promise<Stored> => {
    const found = await request({ method: 'GET', path: at('secrets', name) }).catch((error: unknown) => {
      if (error instanceof ClusterError && error.code === 'not-found') return undefined;
      throw error;
    });
    if (found?.data?.token) values.add(Buffer.from(found.data.token, 'base64').toString());
    return found;
  };

  const recorded = ({ status }: Stored): string[] =>
    (status?.problems ?? []).map(({ severity, reason, path }: Stored) => `${severity} ${reason} ${path}`);

  return {
    values,
    token,
    /** The generated Secret of a token. */
    generated: (name: string) => secret(`vexil-token-${name}`),
    create: (name: string, spec: Partial<ApiTokenSpec> = {}) =>
      request({ method: 'POST', path: at('apitokens').replace(/\/$/, ''), body: aToken(`${home}/${name}`, spec) }),
    patch: (name: string, spec: object) => merge(at('apitokens', name), { spec }),
    /** Makes the operator reconcile the token now, instead of at its next time. */
    nudge: (name: string) => merge(at('apitokens', name), { spec: { description: `nudged at ${performance.now()}` } }),
    delete: (plural: string, name: string) => request({ method: 'DELETE', path: at(plural, name) }),
    createSecret(name: string, { value, labels = {}, owners = [] }: SecretParts): Promise<Stored> {
      if (value !== undefined) values.add(value);
      const data = value === undefined ? {} : { token: Buffer.from(value).toString('base64') };
      const metadata = { name, namespace: home, labels, ownerReferences: owners };
      const body = { apiVersion: 'v1', kind: 'Secret', metadata, data };
      return request({ method: 'POST', path: at('secrets').replace(/\/$/, ''), body });
    },
    setValue(name: string, value: string): Promise<Stored> {
      values.add(value);
      return merge(at('secrets', name), { data: { token: Buffer.from(value).toString('base64') } });
    },
    labelSecret: (name: string, labels: object) => merge(at('secrets', name), { metadata: { labels } }),

    /** Waits until the status has exactly these problems for the present spec, and is healthy. */
    async untilRecorded(name: string, ...want: readonly string[]): Promise<Stored> {
      const found = await waitUntil({ what: `${name} has ${want.join(', ') || 'no problems'}` }, async () => {
        const one = await token(name);
        const isJudged = one.status?.observedGeneration === one.metadata.generation;
        return isJudged && JSON.stringify(recorded(one)) === JSON.stringify(want) && one;
      });
      expectHealthyStatus(found);
      return found;
    },
    /** Waits until the token is ready, and returns the value in its Secret, whose digest is in the status. */
    async untilReady(name: string): Promise<string> {
      const { status } = await this.untilRecorded(name);
      const storedSecret = await secret(status.secretName);
      const value = Buffer.from(storedSecret.data.token, 'base64').toString();
      expect(status.sha256).toBe(digestOf(value));
      return value;
    },

    /** Fails if a value, or its secret part, is anywhere but in its Secret. */
    async expectNoValueRecorded(...more: readonly string[]): Promise<void> {
      const lists = ['apis/vexil.dev/v1beta1', 'apis/events.k8s.io/v1'].map(async (group) => {
        const plural = group.startsWith('apis/vexil') ? 'apitokens' : 'events';
        return JSON.stringify(await request({ method: 'GET', path: `/${group}/namespaces/${home}/${plural}` }));
      });
      const recorded = [...(await Promise.all(lists)), ...more].join('\n');
      expect(values.size, 'values that were looked for').toBeGreaterThan(0);
      for (const value of values) {
        const secretPart = value.slice(-16).trim();
        if (secretPart.length < 6) continue;
        expect(recorded.includes(secretPart), 'a value is disclosed').toBe(false);
        expect(recorded.includes(Buffer.from(value).toString('base64').slice(0, 16)), 'a value is disclosed').toBe(
          false,
        );
      }
    },
    close: transport.close,
  };
}
