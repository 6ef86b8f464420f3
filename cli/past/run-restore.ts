/** `vexil restore`: gives flags and other objects the specs of a past time, after a plan that a person has seen. */
import { z } from 'zod';
import { DEFAULT_PROJECT } from '../../src/domain/identity/names.ts';
import { recordOf } from '../../src/model/json.ts';
import type { CustomObject } from '../../src/model/object.ts';
import { type FeatureFlag, featureFlag } from '../../src/schema/feature-flag.ts';
import { confirm } from '../confirm.ts';
import { type ClusterConnection, withCluster } from '../connection/cluster.ts';
import { environmentsInCluster } from '../connection/environments.ts';
import { mapBounded } from '../connection/map-bounded.ts';
import type { ClusterOptions, OutputOptions, ServerOptions } from '../connection/options.ts';
import { bodyAs, connectServer, pathOf, type ServerConnection } from '../connection/server.ts';
import { Failure } from '../failure.ts';
import { OBJECT_NAME } from '../files/manifest-file.ts';
import { type FlagOfProject, pathOfFlag } from '../flags/flag-on-server.ts';
import { type ProtectionOptions, protectionOf } from '../flags/protection.ts';
import { metadataOf } from '../manifests/ref.ts';
import { type FlagWrite, freezesAgainst } from '../plan/flag-write.ts';
import { planText } from '../plan/plan-text.ts';
import { plural } from '../plural.ts';
import { EXIT, jsonText, printableLines, type Terminal } from '../terminal.ts';
import { pastTimeOf } from '../time.ts';
import { type AtTime, flagsAt, type InGap, manifestAt, unlessMissing } from './ask-at.ts';
import { type AnyKind, type NamedObject, namedObject, restorableKinds, storedObject } from './restorable-kinds.ts';
import { type PlannedWrite, planRestore, type WantedObject } from './restore-plan.ts';

export interface RestoreOptions extends ClusterOptions, ServerOptions, OutputOptions, ProtectionOptions {
  readonly asOf: string;
  readonly project?: string;
  readonly flag?: string;
  readonly inGap?: InGap;
  readonly otherObjects: boolean;
  readonly yes: boolean;
}

/** `names` are those of objects that are no flags, as KIND/NAME. */
export async function runRestore(names: readonly string[], options: RestoreOptions, terminal: Terminal): Promise<void> {
  const at = pastTimeOf('--as-of', options.asOf);
  if (options.flag !== undefined && options.project === undefined) {
    throw new Failure('--flag needs --project, as a flag that is gone has none', EXIT.usage);
  }
  const objects = names.map(namedObject);
  const server = await connectServer(options, terminal);
  const others = await readObjects(server, objects, { at, inGap: options.inGap });
  const hasFlags = objects.length === 0 || options.project !== undefined;
  const flags = hasFlags ? await readFlags(server, { ...options, at }) : { wanted: [], left: [] };
  const { left } = flags;
  const wanted = [...others, ...flags.wanted];
  await withCluster(options, terminal, (cluster) => restore({ server, cluster, wanted, left }, options, terminal));
}

interface RestoreQuery extends Pick<RestoreOptions, 'project' | 'flag' | 'inGap'> {
  readonly at: string;
}

interface ReadFlags {
  readonly wanted: readonly WantedObject[];
  /** Flags that exist now and did not then: they stay. */
  readonly left: readonly FlagOfProject[];
}

/** In the order of the kinds. Throws a Failure for an object that did not exist. */
async function readObjects(
  server: ServerConnection,
  objects: readonly NamedObject[],
  time: AtTime,
): Promise<readonly WantedObject[]> {
  const found: WantedObject[] = [];
  for (const { kind, folder } of restorableKinds) {
    for (const { name } of objects.filter((one) => one.kind === kind)) {
      const path = pathOf('history', folder, name);
      const answer = await unlessMissing(server.call({ method: 'GET', path, query: { ...time } }));
      if (!answer) throw new Failure(`there was no ${kind.kind} ${name} then`, EXIT.noInput);
      const { uid, manifest } = bodyAs(storedObject, answer);
      const { namespace, name: objectName } = manifest.metadata;
      if (manifest.kind !== kind.kind || !isObjectName(namespace) || !isObjectName(objectName))
        throw anotherObject(name);
      found.push({ kind, namespace, name: objectName, uid, spec: manifest.spec });
    }
  }
  return found;
}

function anotherObject(name: string): Failure {
  return new Failure(`the server answered another object than ${name}`, EXIT.unavailable);
}

async function readFlags(server: ServerConnection, asked: RestoreQuery): Promise<ReadFlags> {
  const { at, project, flag: name, inGap } = asked;
  const isOne = project !== undefined && name !== undefined;
  const flags = isOne ? [{ project, name }] : await flagsAt(server, project, [at, undefined]);
  const found = await mapBounded(flags, async (flag) => {
    const manifest = await manifestAt(server, flag, { at, inGap });
    return manifest && { ...asWanted(flag, manifest), uid: await uidAt(server, flag, { at, inGap }) };
  });
  const wanted = found.filter((one) => one !== undefined);
  const left = flags.filter((_, index) => found[index] === undefined);
  if (isOne && left.length > 0) await requireFlag(server, { project, name });
  if (wanted.length === 0 && left.length === 0) throw new Failure('there was no such flag then', EXIT.noInput);
  return { wanted: wanted.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)), left };
}

const identified = z.object({ uid: z.string().optional() });

async function uidAt(server: ServerConnection, flag: FlagOfProject, time: AtTime) {
  const path = pathOfFlag(flag, 'status');
  return bodyAs(identified, await server.call({ method: 'GET', path, query: { ...time } })).uid;
}

/** A name with a typing error is no flag that did not exist then. */
async function requireFlag(server: ServerConnection, flag: FlagOfProject): Promise<void> {
  if ((await manifestAt(server, flag, undefined)) === undefined)
    throw new Failure(`there is no flag ${flag.project}/${flag.name}, and there was none then`, EXIT.noInput);
}

function keyOf({ namespace, name }: WantedObject): string {
  return `${namespace}/${name}`;
}

/** Throws for the manifest of another object: what is written would not be what was asked for. */
function asWanted(flag: FlagOfProject, manifest: Readonly<Record<string, unknown>>): Omit<WantedObject, 'uid'> {
  const { kind, spec } = manifest;
  const { namespace, name } = metadataOf(manifest);
  const { name: wireName = name, project = DEFAULT_PROJECT } = recordOf(spec);
  const isIt = kind === featureFlag.kind && wireName === flag.name && project === flag.project;
  if (isIt && isObjectName(namespace) && isObjectName(name)) {
    return { kind: featureFlag as AnyKind, namespace, name, spec };
  }
  throw anotherObject(`flag ${flag.project}/${flag.name}`);
}

function isObjectName(name: unknown): name is string {
  return typeof name === 'string' && OBJECT_NAME.test(name);
}

interface Restoring extends ReadFlags {
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
    protectionOf: (object: CustomObject<unknown, unknown>, kind: AnyKind) =>
      // The server lists the owners of flags only.
      kind.kind === featureFlag.kind
        ? protectionOf(object as FeatureFlag, { options, server, terminal })
        : protectionOf(undefined, { options, server: undefined, terminal }),
    takesOthers: options.otherObjects,
    frozenBy: (write: FlagWrite) => freezesAgainst(write, environmentsOf, terminal.now()),
  };
  const planned: PlannedWrite[] = [];
  for (const object of wanted) planned.push(await planRestore(object, cluster, judging));
  const plans = planned.map(({ plan }) => plan);
  const say = options.output === 'json' ? terminal.writeError : terminal.write;
  say(planLines(planned, left, terminal.isColoured));
  const writable = planned.filter(({ plan }) => plan.action === 'create' || plan.action === 'change');
  if (writable.length > 0) {
    const question = `Write ${plural(writable.length, 'object')} to ${cluster.place}?`;
    await confirm({ question, otherwise: 'nothing was written', yes: options.yes }, terminal);
    for (const { write } of writable) await write(cluster);
  }
  const result = { asOf: options.asOf, plans, written: writable.length };
  terminal.write(options.output === 'json' ? jsonText(result) : `${plural(writable.length, 'object')} restored\n`);
  if (plans.some(({ action }) => action === 'conflict' || action === 'rejected')) terminal.exit(EXIT.findings);
}

function planLines(planned: readonly PlannedWrite[], left: readonly FlagOfProject[], isColoured: boolean): string {
  const lines = [
    ...planned.flatMap(({ note }) => (note === undefined ? [] : [`note: ${note}`])),
    ...left.map(({ project, name }) => `stays: ${project}/${name} did not exist then`),
  ];
  const plans = planned.map(({ plan }) => plan);
  return planText({ plans, passedOver: 0 }, isColoured) + printableLines(lines);
}
