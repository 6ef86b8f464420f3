/** GET /changes: the stream of changed objects. */
import { z } from 'zod';
import { signedIn } from '../../access/authorization/requirements.ts';
import type { Caller } from '../../access/caller.ts';
import { readableChanges } from '../../access/readable/readable-changes.ts';
import { MAX_STREAMS_OF_CALLER } from '../../delivery/change-streams.ts';
import type { ObjectChange } from '../../delivery/object-log.ts';
import { isRefusal } from '../../errors.ts';
import { route } from '../route/route.ts';
import { EventStream } from '../server/answer/event-stream.ts';

export const changeRoutes = [
  route({
    method: 'get',
    path: '/changes',
    summary: 'Get each change of a flag, project, environment, strategy type or segment as it happens.',
    description: `The answer is server-sent events. The first event is \`connected\`. The data of \`change\` is \`{kind, project, name, resourceVersion, deleted}\` of the object; a change of the status alone also sends this event. \`project\` is null for an object without a project. \`resync\` means: read everything again. The data of \`api-server\` is \`{connected}\`: while it is false, Vexil refuses changes, and the changes of others arrive later. \`Last-Event-ID\` names the last event that the caller has: the changes since then arrive after \`connected\`. If the id is too old or from another replica, the answer is \`resync\`. Several changes of one object may arrive as one event. The caller gets the changes of the objects that lists show to the caller, as reviewed when the change happens; access reviews are cached for seconds. A stream ends when its token is revoked, when its reader does not read, and when the replica stops. On a replica, a caller may have ${MAX_STREAMS_OF_CALLER} streams, and VEXIL_CHANGE_STREAM_LIMIT limits the streams of all callers (429).`,
    errors: ['too-many-streams'],
    requires: signedIn,
    answer: 200,
    response: z.string().meta({ description: 'Server-sent events.' }),
    streams: 'events',
    handle({ caller, catalog, home, changes }, { lastEventId, reauthenticate }) {
      // The groups of a Kubernetes user may have changed by now.
      let present = caller;
      const reader = {
        caller: keyOf(caller),
        known: lastEventId,
        readable: (list: readonly ObjectChange[]) => readableChanges({ catalog, home, caller: present }, list),
        async isStillCaller() {
          try {
            present = await reauthenticate();
            return true;
          } catch (error) {
            // A replica that is cut off cannot be certain.
            return !isRefusal(error, 'unauthenticated', 'forbidden');
          }
        },
      };
      return new EventStream((connection) => changes.open(reader, connection), changes.stalledMs);
    },
  }),
];

/** Without authentication, all callers have the same name. */
function keyOf({ author: { name, via, from } }: Caller): string {
  return via === 'anonymous' ? `${via} ${from}` : `${via} ${name}`;
}
