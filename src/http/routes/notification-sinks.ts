/** /notification-sinks: the receivers of the history, and how far the delivery to each is. */
import { signedIn } from '../../access/authorization/requirements.ts';
import { readableSinks } from '../../access/readable/readable-sinks.ts';
import { isMaskedFor } from '../../access/readable/visible-history.ts';
import { compareText } from '../../domain/identity/names.ts';
import { presentNotificationSink, wireNotificationSinks } from '../../wire/admin/notification-sink.ts';
import { route } from '../route/route.ts';

export const notificationSinkRoutes = [
  route({
    method: 'get',
    path: '/notification-sinks',
    summary: 'List the notification sinks.',
    description:
      'The list has no paging. A caller who may read the history of everything sees all sinks. Any other caller sees the sinks of each namespace, other than that of the operator, in which the caller may read every project. Of a URL, the answer has the host only. Addresses in expressions are masked as in events.',
    errors: [],
    requires: signedIn,
    answer: 200,
    response: wireNotificationSinks,
    handle: async (services) => {
      const [sinks, masked] = await Promise.all([readableSinks(services.sinks.all(), services), isMaskedFor(services)]);
      const sorted = sinks.toSorted(
        ({ metadata: a }, { metadata: b }) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
      );
      return { notificationSinks: sorted.map((one) => presentNotificationSink(one, masked)) };
    },
  }),
];
