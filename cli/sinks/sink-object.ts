/** Reads and annotates a NotificationSink, and waits for the leader to follow. */
import { setTimeout } from 'node:timers/promises';
import { resourcePath } from '../../src/kube/api/paths.ts';
import { parseObject } from '../../src/kube/object/parse-object.ts';
import { type NotificationSink, notificationSink } from '../../src/schema/notification-sink.ts';
import { type ClusterConnection, readObject } from '../connection/cluster.ts';
import type { ClusterOptions, OutputOptions } from '../connection/options.ts';
import { Failure } from '../failure.ts';
import { EXIT } from '../terminal.ts';

export type SinkOptions = ClusterOptions & OutputOptions;

const LOOK_EVERY_MS = 500;
/** The status follows within ten seconds; the receiver has another ten. */
const WAIT_MS = 60_000;

export async function readSink(cluster: ClusterConnection, name: string): Promise<NotificationSink> {
  const { namespace } = cluster;
  const found = await readObject(cluster, { kind: notificationSink, namespace, name });
  if (found !== undefined) return parseObject(notificationSink, found);
  throw new Failure(`there is no NotificationSink "${name}" in namespace ${namespace}`, EXIT.noInput);
}

export async function annotateSink(
  { transport, namespace }: ClusterConnection,
  name: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  await transport.request({
    method: 'PATCH',
    path: resourcePath(notificationSink, namespace, name),
    query: { fieldManager: 'vexil-cli' },
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations } },
  });
}

/** Waits until the status has a value. */
export async function untilReported<T>(
  cluster: ClusterConnection,
  name: string,
  reported: (status: NonNullable<NotificationSink['status']>) => T | undefined,
): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const { status } = await readSink(cluster, name);
    const value = status && reported(status);
    if (value !== undefined) return value;
    if (performance.now() > deadline) {
      const why = status?.problems?.[0]?.message ?? 'no operator follows it, or it is busy';
      throw new Failure(`nothing is reported after ${WAIT_MS / 1000} s: ${why}`, EXIT.unavailable);
    }
    await setTimeout(LOOK_EVERY_MS);
  }
}
