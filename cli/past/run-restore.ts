/** `vexil restore`: gives flags the specs of a past time, after a plan that a person has seen. */

import { DEFAULT_PROJECT } from '../../src/domain/identity/names.ts';
import { isRecord } from '../../src/model/json.ts';
import { runBounded } from '../../src/runtime/run-bounded.ts';
import { featureFlag } from '../../src/schema/feature-flag.ts';
import { confirm } from '../confirm.ts';
import { type ClusterConnection, withCluster } from '../connection/cluster.ts';
import { environmentsInCluster } from '../connection/environments.ts';
import type { ClusterOptions, OutputOptions, ServerOptions } from '../connection/options.ts';
import { connectServer, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { OBJECT_NAME } from '../files/manifest-file.ts';
import type { FlagOfProject } from '../flags/flag-on-server.ts';
import { type ProtectionOptions, protectionOf } from '../flags/protection.ts';
import { type FlagWrite, freezesAgainst } from '../plan/freezes-against.ts';
import { planText } from '../plan/plan-text.ts';
import { plural } from '../plural.ts';
import { EXIT, printableLine, type Terminal } from '../terminal.ts';
import { pastTimeOf } from '../time.ts';
import { flagsAt, type InGap, manifestAt } from './ask-at.ts';
import { type PlannedFlag, planRestore, type WantedFlag } from './restore-plan.ts';

export interface RestoreOptions extends ClusterOptions, ServerOptions, OutputOptions, ProtectionOptions {
  readonly asOf: string;
  readonly project?: string;
  readonly flag?: string;
  readonly inGap?: InGap;
  readonly yes: boolean;
}

const CONCURRENCY = 8;

export async function runRestore(options: RestoreOptions, terminal: Terminal): Promise<void> {
  const at = pastTimeOf('--as-of', options.asOf);
  if (options.flag !== undefined && options.project === undefined) {
    throw new Failure('--flag needs --project, as a flag that is gone has none', EXIT.usage);
  }
  const server = await connectServer(options, terminal);
  const { wanted, left } = await readWanted(server, { ...options, at });
  await withCluster(options, terminal, (cluster) => restore({ server, cluster, wanted, left }, options, terminal));
}

interface Asked extends Pick<RestoreOptions, 'project' | 'flag' | 'inGap'> {
  readonly at: string;
}

interface Wanted {
  readonly wanted: readonly WantedFlag[];
  /** Flags that exist now and did not then: they stay. */
  readonly left: readonly FlagOfProject[];
}

async function readWanted(server: ServerConnection, asked: Asked): Promise<Wanted> {
  const { at, project, flag: name, inGap } = asked;
  const wanted: WantedFlag[] = [];
  const left: FlagOfProject[] = [];
  const isOne = project !== undefined && name !== undefined;
  const flags = isOne ? [{ project, name }] : await flagsAt(server, project, [at, undefined]);
  await runBounded(flags, { concurrency: CONCURRENCY, goOn: () => true }, async (flag) => {
    const manifest = await manifestAt(server, flag, { at, inGap });
    if (manifest) wanted.push(asWanted(flag, manifest));
    else left.push(flag);
  });
  if (isOne && left.length > 0) await requireFlag(server, { project, name });
  if (wanted.length === 0 && left.length === 0) throw new Failure('there was no such flag then', EXIT.noInput);
  return { wanted: wanted.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)), left };
}

/** A name with a typing error is no flag that did not exist then. */
async function requireFlag(server: ServerConnection, flag: FlagOfProject): Promise<void> {
  if ((await manifestAt(server, flag, undefined)) === undefined)
    throw new Failure(`there is no flag ${flag.project}/${flag.name}, and there was none then`, EXIT.noInput);
}

function keyOf({ namespace, name }: WantedFlag): string {
  return `${namespace}/${name}`;
}

/** Throws for the manifest of another object: what is written would not be what was asked for. */
function asWanted(flag: FlagOfProject, { kind, metadata, spec }: Readonly<Record<string, unknown>>): WantedFlag {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  const { name: wireName = name, project = DEFAULT_PROJECT } = isRecord(spec) ? spec : {};
  const isIt = kind === featureFlag.kind && wireName === flag.name && project === flag.project;
  if (isIt && isObjectName(namespace) && isObjectName(name)) return { namespace, name, spec };
  throw new Failure(`the server answered another object than flag ${flag.project}/${flag.name}`, EXIT.unavailable);
}

function isObjectName(name: unknown): name is string {
  return typeof name === 'string' && OBJECT_NAME.test(name);
}

interface Restoring extends Wanted {
  readonly server: ServerConnection;
  readonly cluster: ClusterConnection;
}

async function restore(
  { server, cluster, wanted, left }: Restoring,
  options: RestoreOptions,
  terminal: Terminal,
): Promise<void> {
  const environmentsOf = await environmentsInCluster(cluster, terminal);
  const judging = {
    protectionOf: (flag: Parameters<typeof protectionOf>[0]) => protectionOf(flag, { options, server, terminal }),
    frozenBy: (write: FlagWrite) => freezesAgainst(write, environmentsOf, terminal.now()),
  };
  const planned: PlannedFlag[] = [];
  for (const flag of wanted) planned.push(await planRestore(flag, cluster, judging));
  const plans = planned.map(({ plan }) => plan);
  const say = options.output === 'json' ? terminal.writeError : terminal.write;
  say(planText({ plans, passedOver: 0 }, terminal.isColoured));
  for (const { project, name } of left) say(`${printableLine(`stays: ${project}/${name} did not exist then`)}\n`);
  const writable = planned.filter(({ plan }) => plan.action === 'create' || plan.action === 'change');
  if (writable.length > 0) {
    const question = `Write ${plural(writable.length, 'flag')} to ${cluster.place}?`;
    await confirm({ question, otherwise: 'nothing was written', yes: options.yes }, terminal);
    for (const { write } of writable) await write(cluster);
  }
  const result = { asOf: options.asOf, plans, written: writable.length };
  terminal.write(
    options.output === 'json'
      ? `${JSON.stringify(result, null, 2)}\n`
      : `${plural(writable.length, 'flag')} restored\n`,
  );
  if (plans.some(({ action }) => action === 'conflict' || action === 'rejected')) terminal.exit(EXIT.findings);
}
