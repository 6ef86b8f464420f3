/** Starts all parts of the demo. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectBinaries } from '../../scripts/tools/control-plane/project-binaries.ts';
import type { Say } from '../../scripts/tools/progress.ts';
import { stampKeys } from '../../src/schema/stamp.ts';
import { buildConsole } from '../support/build-console.ts';
import { abilitiesOf } from '../support/control-plane/abilities.ts';
import { installAdmission } from '../support/control-plane/install-admission.ts';
import { installDefinitions } from '../support/control-plane/install-definitions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane/start-control-plane.ts';
import { waitUntil } from '../support/control-plane/wait-until.ts';
import { grantOperatorRoles, grantReviews } from '../support/operator-roles.ts';
import { makeChanges } from './changes.ts';
import { type EntryPoint, openEntryPoint } from './entry-point.ts';
import { requireFreePorts } from './require-free-ports.ts';
import { type RunningApplication, startApplication } from './running-application.ts';
import { launchOperator, type RunningOperator } from './running-operator.ts';
import { type DemoSettings, HOME, SAMPLES, SHOP } from './settings.ts';

const PEOPLE = ['../../config/rbac/people.yaml', 'people.yaml'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

export interface DemoParts {
  readonly settings: DemoSettings;
  readonly say: Say;
  /** Ends the start-up before the next step when it is aborted. */
  readonly signal: AbortSignal;
}

export interface Demo extends EntryPoint {
  readonly operatorLog: string;
  /** The URL of the history. Unless the settings name another one, it is a file that is deleted with the demo. */
  readonly archive: string;
  /** Rejects if a program of the demo has ended by itself. */
  readonly failure: Promise<never>;
  /** Ends all parts, in the reverse order of their start. */
  stop(): Promise<void>;
}

/** Resolves when every sample is Ready. If that fails, nothing keeps running. */
export async function startDemo(parts: DemoParts): Promise<Demo> {
  const { settings, say, signal } = parts;
  await requireFreePorts(settings.listens);
  const binaries = await unlessAborted(projectBinaries({ say }), signal);
  await unlessAborted(buildConsole(), signal);
  say('starting etcd and kube-apiserver');
  const plane = await startControlPlane({ binaries });
  let operator: RunningOperator | undefined;
  let application: RunningApplication | undefined;
  const stop = async () => {
    await application?.stop();
    await operator?.stop();
    await plane.stop();
  };
  try {
    await prepare(plane, parts);
    operator = await runOperator(plane, parts);
    const failure = Promise.race([operator.failure, planeFailure(plane)]);
    // Nobody may listen to the failure, and stopping the demo ends the control plane too.
    failure.catch(() => undefined);
    application = await Promise.race([fill(plane, parts), failure]);
    const entryPoint = await openEntryPoint({ plane, settings, applicationLog: application.log });
    const either = Promise.race([failure, application.failure]);
    either.catch(() => undefined);
    return { ...entryPoint, operatorLog: operator.log, archive: archiveOf(plane), failure: either, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resolves when all flags are as a user of the demo finds them, and the application has read them. */
async function fill(plane: ControlPlane, parts: DemoParts): Promise<RunningApplication> {
  const { settings, say, signal } = parts;
  await samplesAreReady(plane, parts);
  signal.throwIfAborted();
  say('changing some flags, as Git and people do');
  await makeChanges(plane, Date.now());
  signal.throwIfAborted();
  say('starting an application that asks for flags');
  return startApplication({ plane, url: settings.url, say });
}

async function prepare(plane: ControlPlane, { say, signal }: DemoParts): Promise<void> {
  signal.throwIfAborted();
  say('installing crds/');
  await installDefinitions(plane);
  signal.throwIfAborted();
  say('installing config/admission');
  const { recordsAuthors } = await abilitiesOf(plane);
  await installAdmission(plane, [
    recordsAuthors ? 'author.yaml' : 'older/stamps.yaml',
    ...(['audit-events.yaml', 'protected-environment.yaml', 'environment-changes.yaml'] as const),
    ...(['change-requests.yaml', 'change-approvals.yaml', 'statuses.yaml'] as const),
  ]);
  signal.throwIfAborted();
  say('applying config/samples');
  for (const namespace of [HOME, SHOP]) await plane.kubectlOrThrow(['create', 'namespace', namespace]);
  if (recordsAuthors) await untilAuthorsAreNoted(plane, signal);
  await plane.kubectlOrThrow(['apply', ...[SAMPLES, ...PEOPLE].map((file) => `--filename=${file}`)]);
}

/**
 * Waits until the author policy knows every kind. From the time when the policy takes effect until the API server has
 * read the list of kinds again, it refuses new kinds.
 */
async function untilAuthorsAreNoted({ kubectl }: ControlPlane, signal: AbortSignal): Promise<void> {
  const trial = ['apply', '--dry-run=server', '--output=json', '--filename', SAMPLES];
  await waitUntil({ what: 'the author policy is in effect for every kind', timeoutMs: 60_000 }, async () => {
    signal.throwIfAborted();
    const { code, stdout } = await kubectl(trial);
    if (code !== 0) return false;
    const { items } = JSON.parse(stdout) as { items: { metadata: { annotations?: Record<string, string> } }[] };
    return items.every(({ metadata }) => metadata.annotations?.[stampKeys.by] !== undefined);
  });
}

async function runOperator(plane: ControlPlane, { settings, say, signal }: DemoParts): Promise<RunningOperator> {
  signal.throwIfAborted();
  say('starting the operator with no more rights than config/rbac gives it');
  const kubeconfig = await grantOperatorRoles(plane, HOME, [SHOP]);
  await grantReviews(plane, HOME);
  await requireFreePorts(settings.listens);
  signal.throwIfAborted();
  const VEXIL_AUDIT_URL = settings.operator['VEXIL_AUDIT_URL'] || `sqlite:${archiveOf(plane)}`;
  const given = { ...settings.operator, VEXIL_AUDIT_URL, KUBECONFIG: kubeconfig };
  return launchOperator({ settings: given, log: join(plane.directory, 'operator.log'), say });
}

function archiveOf({ directory }: ControlPlane): string {
  return join(directory, 'audit.db');
}

async function samplesAreReady(plane: ControlPlane, { settings, signal }: DemoParts): Promise<void> {
  await waitUntil({ what: 'the operator is ready', timeoutMs: 60_000, everyMs: 100 }, () => {
    signal.throwIfAborted();
    return fetch(`${settings.opsUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  await waitUntil({ what: 'every sample is Ready', timeoutMs: 60_000 }, async () => {
    signal.throwIfAborted();
    // One call waits for all samples: kubectl takes some tenths of a second for each call, ready or not.
    const args = ['wait', '--for=condition=Ready', '--timeout=5s', '--recursive=false', '--filename', SAMPLES];
    return (await plane.kubectl(args)).code === 0;
  });
}

/** Stops waiting for work that cannot be interrupted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const end = Promise.withResolvers<never>();
  const abort = () => end.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, end.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const SHOWN_LINES = 15;

/** Throws an error with the end of the log of the program that has ended. */
async function planeFailure(plane: ControlPlane): Promise<never> {
  const everlasting = { what: 'the control plane has ended', timeoutMs: Number.POSITIVE_INFINITY, everyMs: 500 };
  const program = await waitUntil(everlasting, () => missingIn(plane));
  const log = await readFile(join(plane.directory, `${program}.log`), 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-SHOWN_LINES);
  throw new Error(`${program} ended by itself. Its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

function missingIn(plane: ControlPlane): 'etcd' | 'kube-apiserver' | undefined {
  const { etcd, apiServer } = plane.pids();
  if (etcd === undefined) return 'etcd';
  return apiServer === undefined ? 'kube-apiserver' : undefined;
}
