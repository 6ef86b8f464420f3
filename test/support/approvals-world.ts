/** An environment with approvals, the policies that ship, and people with rights of their own. */
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import type { ChangeApprovalSpec } from '../../src/schema/change-approval.ts';
import type { ChangeRequestSpec } from '../../src/schema/change-request.ts';
import { createAccount, type Rule } from './account.ts';
import { aChangeApproval, aChangeRequest, aFlag, anEnvironment, type Manifest } from './builders.ts';
import { installPolicyIn, untilRefused } from './control-plane/install-admission.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import { type Instance, startInstance } from './instance.ts';
import type { OperatorOptions } from './operator.ts';
import { grantReviews } from './operator-roles.ts';
import type { Stored } from './stored.ts';

const KINDS = ['featureflags', 'changerequests', 'changeapprovals', 'segments', 'projects', 'strategydefinitions'];
const KINDS_WITH_STATUS = ['featureflags', 'segments', 'projects', 'environments', 'changerequests'].map(
  (plural) => `${plural}/status`,
);
/** Environments that tests may add. */
export const OTHER_ENVIRONMENTS = Array.from({ length: 12 }, (_, index) => `state-${index}`);
const WORK: Rule = [['*'], KINDS];
const ENVIRONMENTS: Rule = [['get', 'update', 'patch', 'delete'], ['environments']];
const APPROVE: Rule = [['approve'], ['environments'], ['production', ...OTHER_ENVIRONMENTS]];

/** ada, bob and cid approve, eve and reader do not; robot is exempt, boss bypasses, and forger writes statuses. */
const rulesOf = {
  ada: [WORK, ENVIRONMENTS, APPROVE],
  bob: [WORK, APPROVE],
  cid: [WORK, APPROVE],
  eve: [WORK, ENVIRONMENTS],
  robot: [WORK],
  reader: [
    [
      ['get', 'create'],
      ['featureflags', 'changerequests'],
    ],
  ],
  boss: [WORK, ENVIRONMENTS, [['bypass-approval'], ['environments'], ['production']]],
  forger: [WORK, [['*'], KINDS_WITH_STATUS]],
} as const satisfies Readonly<Record<string, readonly Rule[]>>;
export type PersonName = keyof typeof rulesOf;

export interface ApprovalsWorld {
  readonly instance: Instance;
  readonly admin: Transport;
  as(name: PersonName): Transport;
  usernameOf(name: PersonName): string;
  tokenOf(name: PersonName): string;
  kubeconfigOf(name: PersonName): string;
  pathOf(plural: string, name?: string): string;
  read(plural: string, name: string): Promise<Stored>;
  /** Creates the object under a generated name. */
  create(by: PersonName, manifest: Manifest): Promise<Stored>;
  /** Asks to switch the flag on in production, unless the spec says otherwise. */
  request(by: PersonName, flag: string, spec?: Partial<ChangeRequestSpec>): Promise<Stored>;
  approve(by: PersonName, request: Stored, spec?: Partial<ChangeApprovalSpec>): Promise<Stored>;
  untilPhase(request: Stored, phase: string): Promise<unknown>;
  /** Resolves when the object, a flag unless `plural` says otherwise, has a grant for its present generation. */
  untilGranted(name: string, plural?: string): Promise<unknown>;
  /** Merges into the spec. */
  patch(by: PersonName | 'admin', path: string, spec: object): Promise<Stored>;
  stop(): Promise<void>;
}

export async function startApprovals(prefix: string, options: OperatorOptions = {}): Promise<ApprovalsWorld> {
  const instance = await startInstance(prefix, options);
  const { cluster, home, other } = instance;
  await grantReviews(cluster, home);
  const admin = connect(loadKubeConfig(cluster.kubeconfig));
  const names = Object.keys(rulesOf) as PersonName[];
  const accounts = new Map(
    await Promise.all(
      names.map(async (name) => {
        const account = await createAccount(cluster, { namespace: home, name, rules: { [home]: rulesOf[name] } });
        return [name, { ...account, transport: connect(loadKubeConfig(account.kubeconfig)) }] as const;
      }),
    ),
  );
  const account = (name: PersonName) => {
    const found = accounts.get(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const pathOf = (plural: string, name = '') =>
    `/apis/vexil.dev/v1beta1/namespaces/${home}/${plural}${name && `/${name}`}`;
  const read = (plural: string, name: string): Promise<Stored> =>
    admin.request({ method: 'GET', path: pathOf(plural, name) });
  const create = (by: PersonName, { metadata, ...rest }: Manifest): Promise<Stored> => {
    const { name, ...others } = metadata;
    const body = { ...rest, metadata: { ...others, generateName: `${name}-` } };
    return account(by).transport.request({ method: 'POST', path: pathOf(`${rest.kind.toLowerCase()}s`), body });
  };
  const exempt = [{ kind: 'ServiceAccount' as const, name: 'robot', namespace: home }];
  await instance.apply(anEnvironment(`${home}/production`, { sortOrder: 2, approvals: { required: 1, exempt } }));
  for (const policy of ['environment-changes', 'change-requests', 'change-approvals', 'statuses'] as const) {
    await installPolicyIn(cluster, `${policy}.yaml`, [home, other]);
  }
  const switched = { production: { enabled: true, strategies: { all: { name: 'default' } } } };
  const calls = [
    { method: 'POST', path: pathOf('featureflags'), body: aFlag(`${home}/probe`, { environments: switched }) },
    {
      method: 'POST',
      path: pathOf('changeapprovals'),
      body: aChangeApproval(`${home}/probe`, { name: 'probe', uid: 'x' }),
    },
    { method: 'POST', path: pathOf('changerequests'), body: aChangeRequest(`${home}/probe`, 'probe') },
  ] as const;
  for (const call of calls)
    await untilRefused(cluster, { ...call, query: { dryRun: 'All' } }, account('eve').kubeconfig);
  return {
    instance,
    admin,
    as: (name) => account(name).transport,
    usernameOf: (name) => account(name).username,
    tokenOf: (name) => account(name).token,
    kubeconfigOf: (name) => account(name).kubeconfig,
    pathOf,
    read,
    create,
    request: (by, flag, spec = {}) => {
      const author = { kind: 'User' as const, name: account(by).username };
      return create(by, aChangeRequest(`${home}/${flag}`, flag, { author, ...spec }));
    },
    approve: (by, { metadata: { name, uid } }, spec = {}) => {
      const approver = { kind: 'User' as const, name: account(by).username };
      return create(by, aChangeApproval(`${home}/${name}`, { name, uid }, { approver, ...spec }));
    },
    untilPhase: ({ metadata: { name } }, phase) =>
      waitUntil(
        { what: `${name} is ${phase}` },
        async () => (await read('changerequests', name)).status?.phase === phase,
      ),
    patch: (by, path, spec) =>
      (by === 'admin' ? admin : account(by).transport).request({
        ...{ method: 'PATCH', path, contentType: 'application/merge-patch+json', body: { spec } },
      }),
    untilGranted: (name, plural = 'featureflags') =>
      waitUntil({ what: `${name} has a grant` }, async () => {
        const { metadata, status } = await read(plural, name);
        return status?.grants?.some(({ generation }: Stored) => generation === metadata.generation);
      }),
    async stop() {
      for (const { transport } of accounts.values()) transport.close();
      admin.close();
      await instance.stop();
    },
  };
}
