/** The audit event types of notification sinks. */
import { changed, type EventType } from './event-type.ts';

export const sinkEventTypes = {
  'notification-sink-created': {
    note: ({ named }) => `The notification sink ${named('name')} was created`,
    when: 'A NotificationSink is new.',
    about: 'none',
    data: 'the sink, without the name of its Secret',
  },
  'notification-sink-updated': {
    note: ({ named }) => `The notification sink ${named('name')} was edited`,
    when: 'A NotificationSink changed. Deliveries are not recorded.',
    about: 'none',
    ...changed('the sink, without the name of its Secret'),
  },
  'notification-sink-deleted': {
    note: ({ named }) => `The notification sink ${named('name')} was deleted`,
    when: 'A NotificationSink is gone.',
    about: 'none',
    preData: 'the sink, without the name of its Secret',
  },
} as const satisfies Readonly<Record<string, EventType>>;
