/** A connection to the cluster of a kubeconfig, with the credentials of kubectl. */
import { type ClusterError, isClusterError, isRefusal, type MissingPermission } from '../../src/errors.ts';
import { loadKubeConfig } from '../../src/kube/api/kubeconfig.ts';
import { readPage } from '../../src/kube/api/page.ts';
import { type Located, resourcePath } from '../../src/kube/api/paths.ts';
import { connect, type Transport } from '../../src/kube/api/transport.ts';
import { truncate } from '../../src/model/text.ts';
import { Failure } from '../failure.ts';
import { EXIT, type Terminal } from '../terminal.ts';
import type { ClusterOptions } from './options.ts';
import { type PagedList, readAllPages } from './pages.ts';

export interface ClusterConnection {
  readonly transport: Transport;
  /** The namespace of the option, or of the context, or `default`. */
  readonly namespace: string;
  /** The context and the server, for messages. */
  readonly place: string;
}

/**
 * Connects, and closes the connection afterwards. Throws a Failure if the cluster refuses a call or cannot be reached.
 */
export async function withCluster<T>(
  { kubeconfig, kubeContext, namespace }: ClusterOptions,
  { environment }: Pick<Terminal, 'environment'>,
  use: (cluster: ClusterConnection) => Promise<T>,
): Promise<T> {
  const config = loadConfig(kubeconfig ?? environment['KUBECONFIG'], kubeContext);
  const context = config.getContextObject(config.getCurrentContext());
  const transport = connect(config);
  const place = `context "${context?.name}", ${config.getCurrentCluster()?.server}`;
  try {
    return await use({ transport, namespace: namespace ?? (context?.namespace || 'default'), place });
  } catch (error) {
    if (!isClusterError(error)) throw error;
    throw asFailure(error, place);
  } finally {
    transport.close();
  }
}

function loadConfig(files: string | undefined, context: string | undefined): ReturnType<typeof loadKubeConfig> {
  try {
    return loadKubeConfig(files, context);
  } catch (error) {
    throw isRefusal(error) ? new Failure(error.message, EXIT.noInput, error) : error;
  }
}

/** Whether the API server refuses the object, so that the others can still be planned. */
export function isRejection(error: unknown): error is ClusterError {
  return isClusterError(error, 'invalid', 'forbidden', 'not-found', 'too-large', 'conflict');
}

export interface ObjectPlace {
  readonly kind: Located;
  /** Absent: the objects of the kind are in no namespace. */
  readonly namespace?: string;
  readonly name: string;
}

/** Reads an object as the API server has it; undefined if it does not exist, also because none can have the name. */
export async function readObject(
  { transport }: Pick<ClusterConnection, 'transport'>,
  { kind, namespace, name }: ObjectPlace,
  accept?: string,
): Promise<unknown> {
  try {
    return await transport.request({ method: 'GET', path: resourcePath(kind, namespace, name), accept });
  } catch (error) {
    if (!isClusterError(error, 'not-found')) throw error;
    return undefined;
  }
}

const PAGE_SIZE = 500;

type Listing = Pick<ClusterConnection, 'transport' | 'place'>;

/** `what` are the objects, as a plural. */
export function listAt({ transport, place }: Listing, path: string, what: string): PagedList<unknown, string> {
  const read = async (token: string | undefined) => {
    const query = { limit: PAGE_SIZE, continue: token };
    const page = readPage(await transport.request({ method: 'GET', path, query }));
    return { items: page.items, next: page.token };
  };
  return { place, what, read };
}

/** Lists all objects of a kind as the API server has them; without a namespace, those of all namespaces. */
export async function listObjects(
  cluster: Listing,
  kind: Located,
  namespace: string | undefined,
): Promise<readonly unknown[]> {
  return readAllPages(listAt(cluster, resourcePath(kind, namespace), kind.plural));
}

/** Reads the namespace that was asked for, or else all; only that of the context if the user may not read all. */
export async function inReach<T>(
  { namespace: ofContext }: Pick<ClusterConnection, 'namespace'>,
  wanted: string | undefined,
  read: (namespace: string | undefined) => Promise<T>,
): Promise<T> {
  return wanted === undefined ? read(undefined).catch(unlessMissing(() => read(ofContext))) : read(wanted);
}

/** Lists all objects of a kind, or only those of the namespace; undefined if the user may list neither. */
export async function listReadable(cluster: ClusterConnection, kind: Located): Promise<readonly unknown[] | undefined> {
  return inReach(cluster, undefined, (namespace) => listObjects(cluster, kind, namespace)).catch(
    unlessMissing(() => undefined),
  );
}

function unlessMissing<T>(instead: () => T) {
  return (error: unknown) => {
    if (!isClusterError(error, 'missing-permission')) throw error;
    return instead();
  };
}

/** Long enough for the error message of a credential plugin. */
const MAX_CAUSE = 500;

/** Describes an error of the API server for people at a terminal. */
export function asFailure(error: ClusterError, place: string): Failure {
  const { status, missing } = error.answer ?? {};
  if (missing) return new Failure(missingInWords(missing, place), EXIT.noPermission, error);
  if (status === 401) {
    const advice = 'check the user of the context, or sign in again';
    return new Failure(`the cluster does not accept the credentials (${place}): ${advice}`, EXIT.noPermission, error);
  }
  if (status === undefined && error.code !== 'not-found') {
    const why = error.cause instanceof Error ? `: ${truncate(error.cause.message, MAX_CAUSE)}` : '';
    return new Failure(`${error.message} (${place})${why}`, EXIT.unavailable, error);
  }
  return new Failure(error.message, statusOf(error), error);
}

function missingInWords({ user, verb, resource, namespace }: MissingPermission, place: string): string {
  const where = namespace === undefined ? 'in the whole cluster' : `in the namespace "${namespace}"`;
  return `"${user}" may not ${verb} ${resource} ${where} (${place}): ask for the permission, or select another context or namespace`;
}

function statusOf({ code }: ClusterError): Failure['status'] {
  if (code === 'forbidden') return EXIT.noPermission;
  if (code === 'unavailable') return EXIT.unavailable;
  return code === 'not-found' ? EXIT.noInput : EXIT.findings;
}
