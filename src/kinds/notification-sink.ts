/** NotificationSink: reports whether its receiver gets entries; the entries themselves do not pass here. */
import { nowhere } from '../audit/derive/audit-event.ts';
import { changedInSubstance } from '../catalog/cached.ts';
import { judgeSink } from '../domain/sink/judge-sink.ts';
import {
  type NotificationSink,
  type NotificationSinkSpec,
  type NotificationSinkStatus,
  notificationSink,
} from '../schema/notification-sink.ts';
import type { KindDefinition } from './definition.ts';
import { versions } from './subscriptions.ts';

const indexes = {
  wireName: ({ metadata }: NotificationSink) => [metadata.name],
};

const lifecycle = {
  created: 'notification-sink-created',
  updated: 'notification-sink-updated',
  deleted: 'notification-sink-deleted',
} as const;

export const sinkDefinition: KindDefinition<NotificationSinkSpec, NotificationSinkStatus, keyof typeof indexes> = {
  kind: notificationSink,
  indexes,
  concurrency: 4,

  /** A change of the status alone enqueues nothing: the verdict has a pace of its own. */
  triggers: ({ own, enqueue }) => [
    own.subscribe((change) => {
      if (changedInSubstance(change)) enqueue.now(versions(change));
    }),
  ],

  judge({ sinks: { secretOf, progressOf, isServed, ...settings }, now }) {
    return async (sink) => {
      const secret = await secretOf(sink);
      const context = { ...settings, sink, secret, progress: progressOf(sink), isServed: isServed(sink) };
      return judgeSink(context, now());
    };
  },

  auditMapping: (shapes) => ({
    types: () => lifecycle,
    place: () => nowhere,
    shape: shapes.sink,
    hidden: ['secretRef'],
  }),
};
