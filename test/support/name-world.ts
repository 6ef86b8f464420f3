/** Operations of the tests of names with kubectl, and reads of the claims to names. */
import type { Ref } from '../../src/model/object.ts';
import type { Manifest } from './builders.ts';
import type { Cluster } from './cluster.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { Stored } from './stored.ts';

export type NameWorld = ReturnType<typeof nameWorld>;

/** `home` is the namespace of the operator; places are like `ff namespace/name`. */
export function nameWorld(cluster: Cluster, home: string) {
  const object = async (place: string): Promise<Stored> => {
    const [kind, namespace, name] = partsOf(place);
    return cluster.getObject(`${kind}/${name}`, namespace);
  };
  const configMaps = async (): Promise<readonly Stored[]> => {
    const list = await cluster.request({ method: 'GET', path: `/api/v1/namespaces/${home}/configmaps` });
    return (list as Stored).items.filter(({ metadata }: Stored) => metadata.name.startsWith('vexil-names-'));
  };
  const find = async (kind: string, name: string, namespace: string) => {
    for (const { metadata, data } of await configMaps()) {
      const line = linesOf(data?.[`${namespace}.${kind}`]).find((one) => one.split(' ')[0] === name);
      if (line !== undefined) return { configMap: metadata.name as string, line };
    }
    return undefined;
  };
  const found = (kind: string, name: string, namespace: string) =>
    waitUntil({ what: `the name ${name} belongs to ${namespace}`, everyMs: 20 }, () => find(kind, name, namespace));

  return {
    object,
    configMaps,
    async becomes(place: string, reason: string): Promise<Stored> {
      return waitUntil({ what: `${place} becomes ${reason}` }, async () => {
        const one = await object(place);
        const ready = one.status?.conditions?.find(({ type }: Stored) => type === 'Ready');
        return one.status?.observedGeneration === one.metadata.generation && ready?.reason === reason && one;
      });
    },
    async remove(place: string): Promise<void> {
      const [kind, namespace, name] = partsOf(place);
      await cluster.deleteObject(`${kind}/${name}`, namespace);
    },
    async replace(...manifests: readonly Manifest[]): Promise<void> {
      const input = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
      await cluster.kubectlOrThrow(['replace', '--force', '-f', '-'], { input });
    },
    /** Resolves when the name belongs to the namespace. */
    async claimed(kind: string, name: string, namespace: string): Promise<void> {
      await found(kind, name, namespace);
    },
    /** Resolves with the end of the claim when it has one. */
    claimEnd: (kind: string, name: string, namespace: string) =>
      waitUntil({ what: `the claim to ${name} has an end`, everyMs: 20 }, async () => {
        return (await find(kind, name, namespace))?.line.split(' ')[1];
      }),
    configMapOf: async (kind: string, name: string, namespace: string) => {
      return (await found(kind, name, namespace)).configMap;
    },
    /** Sets the end of the claim to two seconds from now. */
    async endClaim(kind: string, { namespace, name }: Ref): Promise<void> {
      const { configMap, line } = await found(kind, name, namespace);
      const place = `${namespace}.${kind}`;
      const { data } = await object(`configmap ${home}/${configMap}`);
      const soon = new Date(Date.now() + 2000).toISOString();
      const lines = linesOf(data[place]).map((one) => (one === line ? `${name} ${soon}` : one));
      await cluster.patchObject(`configmap/${configMap}`, home, { data: { [place]: `${lines.join('\n')}\n` } });
    },
    async events(uid: string, reason: string): Promise<Stored[]> {
      const query = { fieldSelector: `involvedObject.uid=${uid},reason=${reason}` };
      const list: Stored = await cluster.request({ method: 'GET', path: '/api/v1/events', query });
      return list.items;
    },
  };
}

function partsOf(place: string): readonly [kind: string, namespace: string, name: string] {
  const [kind = '', where = ''] = place.split(' ');
  const [namespace = '', name = ''] = where.split('/');
  return [kind, namespace, name];
}

function linesOf(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}
