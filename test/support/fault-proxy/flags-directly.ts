/** Flags as a user writes them at the API server, without the operator or the proxy. */
import { loadKubeConfig } from '../../../src/kube/api/kubeconfig.ts';
import { connect } from '../../../src/kube/api/transport.ts';

export interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly { readonly manager: string }[];
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  readonly spec?: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
  readonly status?: any;
}

export interface FlagsDirectly {
  /** Applies any object of Vexil. */
  apply(kind: 'FeatureFlag' | 'Project' | 'Environment', name: string, spec: object): Promise<StoredObject>;
  /** Reads an object; a flag by default. */
  get(name: string, plural?: Plural): Promise<StoredObject>;
  patch(name: string, spec: object): Promise<StoredObject>;
  delete(plural: Plural, name: string): Promise<void>;
  /** Returns the name with the description of each flag, in order. */
  list(): Promise<(readonly [string, string])[]>;
  close(): void;
}

type Plural = (typeof PLURALS)[keyof typeof PLURALS];

const PLURALS = { FeatureFlag: 'featureflags', Project: 'projects', Environment: 'environments' } as const;

/** Returns a client for one namespace. It may do everything. */
export function flagsDirectly(kubeconfig: string, namespace: string): FlagsDirectly {
  const transport = connect(loadKubeConfig(kubeconfig));
  const at = (plural: string, name = '') => `/apis/vexil.dev/v1beta1/namespaces/${namespace}/${plural}/${name}`;
  return {
    async apply(kind, name, spec) {
      const answer = await transport.request({
        method: 'PATCH',
        path: at(PLURALS[kind], name),
        // The field manager is one whose fields the API may write.
        query: { fieldManager: 'kubectl', force: true },
        contentType: 'application/apply-patch+yaml',
        body: { apiVersion: 'vexil.dev/v1beta1', kind, metadata: { name, namespace }, spec },
      });
      return answer as StoredObject;
    },
    async get(name, plural = 'featureflags') {
      return (await transport.request({ method: 'GET', path: at(plural, name) })) as StoredObject;
    },
    async patch(name, spec) {
      const contentType = 'application/merge-patch+json';
      const path = at('featureflags', name);
      return (await transport.request({ method: 'PATCH', path, contentType, body: { spec } })) as StoredObject;
    },
    async delete(plural, name) {
      await transport.request({ method: 'DELETE', path: at(plural, name) });
    },
    async list() {
      const path = at('featureflags').replace(/\/$/, '');
      const { items } = (await transport.request({ method: 'GET', path })) as { items: StoredObject[] };
      return items.map(({ metadata, spec }) => [metadata.name, spec?.description ?? ''] as const).sort();
    },
    close: transport.close,
  };
}
