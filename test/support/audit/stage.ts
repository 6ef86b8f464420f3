/** The setup of tests of the history: flags, a writer that bypasses the operator, operators that share an archive. */
import { expect } from 'vitest';
import type { Archive } from '../../../src/audit/archive/archive.ts';
import { openArchive } from '../../../src/audit/archive/open-archive.ts';
import { entriesOfEvent } from '../../../src/audit/publish/event.ts';
import type { Entry } from '../../../src/domain/history/entry.ts';
import { loadKubeConfig } from '../../../src/kube/api/kubeconfig.ts';
import { connect } from '../../../src/kube/api/transport.ts';
import { createAccount } from '../account.ts';
import { adminClient, type Call } from '../admin-client.ts';
import { installAuthorPolicy } from '../author-policy.ts';
import { anEnvironment, aProject } from '../builders.ts';
import { abilitiesOf } from '../control-plane/abilities.ts';
import type { ControlPlaneAccess, ControlPlaneAddress } from '../control-plane/access.ts';
import { objectPath } from '../control-plane/objects.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { createAsKubectl } from '../create-as-kubectl.ts';
import { proxiedKubeconfig, proxyFor } from '../fault-proxy/proxied-kubeconfig.ts';
import { recordHistory } from '../fault-proxy/report.ts';
import { grantOperatorRoles } from '../operator-roles.ts';
import { type Replica, startReplica } from '../replica.ts';
import type { Stored } from '../stored.ts';
import { complaintsAbout } from './check-entries.ts';
import { type SeenVersion, seeEveryVersion, type VersionsSeen } from './every-version.ts';
import { untilBaseline } from './until-baseline.ts';

export type AuditStage = Awaited<ReturnType<typeof setAuditStage>>;

export const FLAGS = ['apple', 'birch', 'cedar', 'delta', 'elder'];

const ADMIN_TOKEN = '*:*.the-first-token-of-this-test';
const CATCH_UP_MS = 60_000;
/** Each poll reads everything, which may be thousands of entries and Events. */
const LOOK_EVERY_MS = 500;
/** No entry is of a time so long before an entry that was recorded earlier. */
const MAX_LATE_MS = 60_000;

/**
 * `home` must exist. Without `archiveUrl`, the archive is a file next to the kubeconfig. The author policy is installed
 * if the API server supports it. Operators reach the API server through a proxy.
 */
export async function setAuditStage(
  cluster: ControlPlaneAddress & ControlPlaneAccess,
  home: string,
  archiveUrl?: string,
) {
  const proxy = await proxyFor(cluster);
  const direct = await grantOperatorRoles(cluster, home, []);
  const kubeconfig = await proxiedKubeconfig(proxy, direct);
  const archiveFile = `${kubeconfig}.audit.db`;
  const url = archiveUrl ?? `sqlite:${archiveFile}`;
  const { recordsAuthors } = await abilitiesOf(cluster);
  if (recordsAuthors) await installAuthorPolicy(cluster, [home]);
  const rules = { [home]: [[['*'], ['*']]] } as const;
  const alice = await createAccount(cluster, { namespace: home, name: 'alice', rules });
  const writer = connect(loadKubeConfig(alice.kubeconfig));
  const replicas: Replica[] = [];
  let seen: VersionsSeen | undefined;
  let seenBefore: readonly SeenVersion[] = [];
  /** The last entry that `compareLater` leaves out. */
  let compared: Pick<Entry, 'id' | 'createdAt'> | undefined;

  const path = (name = '') => `/apis/vexil.dev/v1beta1/namespaces/${home}/featureflags${name && `/${name}`}`;
  const patch = (name: string, spec: object): Promise<Stored> => {
    const contentType = 'application/merge-patch+json';
    return writer.request({ method: 'PATCH', path: path(name), contentType, body: { spec } });
  };
  const aFlag = (name: string, spec: object = {}) => {
    const environments = { production: { strategies: { everyone: { name: 'default' } } } };
    const metadata = { name, namespace: home };
    return {
      apiVersion: 'vexil.dev/v1beta1',
      kind: 'FeatureFlag',
      metadata,
      spec: { project: 'shop', environments, ...spec },
    };
  };
  const withArchive = async <T>(look: (archive: Archive) => Promise<T>): Promise<T> => {
    const archive = openArchive(url, { notice: () => undefined });
    return look(archive).finally(() => archive.close());
  };
  const entries = () =>
    withArchive(async (archive) => {
      const found: Entry[] = [];
      const filter = compared ? { from: compared.createdAt - MAX_LATE_MS } : {};
      for await (const entry of archive.stream(filter, new AbortController().signal)) found.push(entry);
      const last = compared?.id ?? 0;
      return found.filter(({ id, resource }) => id > last && resource === 'featureflags');
    });

  const cursors = () => withArchive((archive) => archive.cursors());

  const flags = FLAGS.map((name) => aFlag(name));
  await createAsKubectl(writer, [anEnvironment(`${home}/production`), aProject(`${home}/shop`), ...flags]);

  const start = async (settings: Readonly<Record<string, string>> = {}): Promise<Replica & { readonly call: Call }> => {
    const own = {
      VEXIL_AUTH: 'token',
      VEXIL_ADMIN_TOKEN: ADMIN_TOKEN,
      VEXIL_LEADER_ELECTION: 'false',
      VEXIL_AUDIT_URL: url,
    };
    const replica = await startReplica({ kubeconfig, home, settings: { ...own, ...settings } });
    replicas.push(replica);
    return { ...replica, call: adminClient(replica.url, { authorization: ADMIN_TOKEN }) };
  };

  return {
    home,
    proxy,
    /** Settings of an operator that must not use the proxy. */
    direct: { KUBECONFIG: direct },
    writer,
    /**
     * The author of an entry. The user of `writer` is `alice`; if no policy records authors, the entry names a field
     * manager instead.
     */
    authorOf: ({ createdBy }: Entry): string =>
      createdBy === alice.username || (!recordsAuthors && createdBy.startsWith('field manager ')) ? 'alice' : createdBy,
    token: ADMIN_TOKEN,
    archiveFile,
    entries,
    cursors,
    start,
    create: (name: string, spec?: object): Promise<Stored> =>
      writer.request({ method: 'POST', path: path(), body: aFlag(name, spec) }),
    patch: (name: string, spec: object): Promise<Stored> => patch(name, spec),
    remove: (name: string): Promise<Stored> => writer.request({ method: 'DELETE', path: path(name) }),

    untilBaseline: (): Promise<void> => untilBaseline(url),

    /** Resolves when the existing objects are recorded as the baseline. Every later change is recorded. */
    async startRecording(settings?: Readonly<Record<string, string>>) {
      const replica = await start(settings);
      await this.untilBaseline();
      await this.see();
      return replica;
    },

    /**
     * Receives every change from now on. It may be called again after `stopSeeing` if nothing has changed in between.
     */
    async see(): Promise<void> {
      seen = await seeEveryVersion(writer, home, ['featureflags']);
    },

    /**
     * Resolves when the existing objects are recorded and no operator records any more. The returned operator answers
     * callers.
     */
    async loseRecorder() {
      const api = await start({ KUBECONFIG: direct, VEXIL_LEADER_ELECTION: 'true' });
      await waitUntil({ what: 'it is ready' }, api.isReady);
      const recorder = await this.startRecording({ KUBECONFIG: direct });
      await this.patch('apple', { description: 'seen' });
      await this.untilAllIsRecorded();
      recorder.send('SIGKILL');
      await recorder.ended;
      return api;
    },

    /** Resolves when no entry is missing. Entries cannot be taken back, so no entry may be wrong then. */
    async untilAllIsRecorded(): Promise<readonly Entry[]> {
      await seen?.untilUpToDate();
      const versions = [...seenBefore, ...(seen?.versions ?? [])];
      let complaints: readonly string[] = [];
      return waitUntil({ what: 'all is recorded', timeoutMs: CATCH_UP_MS, everyMs: LOOK_EVERY_MS }, async () => {
        const all = await entries();
        complaints = complaintsAbout({ entries: all, versions, recordsAuthors });
        return complaints.length === 0 && all;
      }).catch((error: unknown) => {
        expect(complaints.slice(0, 10), `${complaints.length} complaints about ${versions.length} frames`).toEqual([]);
        throw error;
      });
    },

    /** Resolves when each entry is in one Event, whose name follows from its first entry. */
    async untilAllIsPublished(recorded: readonly Entry[]): Promise<readonly Stored[]> {
      // Two Events are published at a time, and a list of a thousand costs the API server as much as many of them.
      const patience = { timeoutMs: 2 * CATCH_UP_MS, everyMs: LOOK_EVERY_MS };
      const events = await waitUntil({ what: 'all Events are published', ...patience }, async () => {
        const query = { labelSelector: 'vexil.dev/audit=1' };
        const { items }: Stored = await cluster.request({ method: 'GET', path: objectPath('events', home), query });
        const ofFlags = items.filter(({ regarding }: Stored) => regarding.kind === 'FeatureFlag');
        return ofFlags.flatMap(entriesOfEvent).length >= recorded.length && ofFlags;
      });
      const keys = events.flatMap((event: Stored) => entriesOfEvent(event).map(({ key }) => key));
      expect(keys.toSorted()).toEqual(recorded.map(({ key }) => key).toSorted());
      const named = events.map(({ metadata }: Stored) => metadata.name.split('.').at(-1));
      expect(named).toEqual(events.map((event: Stored) => entriesOfEvent(event)[0]?.key));
      return events;
    },

    /**
     * Call it before the API server is stopped, because a watch that breaks fails the test. Returns all received
     * versions, which must still be recorded.
     */
    async stopSeeing(): Promise<readonly SeenVersion[]> {
      await seen?.untilUpToDate();
      seenBefore = [...seenBefore, ...(seen?.versions ?? [])];
      await seen?.stop();
      seen = undefined;
      return seenBefore;
    },

    /** From here on only later changes are compared, so that a long run keeps and reads only what is new. */
    async compareLater(recorded: readonly Entry[]): Promise<void> {
      await this.stopSeeing();
      seenBefore = [];
      compared = recorded.at(-1) ?? compared;
      await this.see();
    },

    async clear(test: string): Promise<void> {
      proxy.release();
      await Promise.all(replicas.map((replica) => replica.stop()));
      await seen?.stop();
      writer.close();
      recordHistory(proxy, test);
      await proxy.stop();
    },
  };
}
