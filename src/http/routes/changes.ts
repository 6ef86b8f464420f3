/** GET /changes: the stream of changed objects. */
import { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { readableChanges } from '../../access/readable-changes.ts';
import { signedIn } from '../../access/requirements.ts';
import { MAX_STREAMS_OF_CALLER } from '../../delivery/change-streams.ts';
import type { ObjectChange } from '../../delivery/object-log.ts';
import { isRefusal } from '../../errors.ts';
import { route } from '../route/route.ts';
import { EventStream } from '../server/event-stream.ts';

export const changeRoutes = [
  route({
    method: 'get',
    path: '/changes',
    summary: 'Get each change of a flag, project, environment, strategy type or segment as it happens.',
    description: `Server-sent events. \`connected\` is the first; \`change\` has as data \`{kind, project, name, resourceVersion, deleted}\` of the object, also after a change of the status alone; \`project\` is null for an object of none; \`resync\` means: read everything again; \`api-server\` has as data \`{connected}\`: while it is false, changes are refused, and those of others come later. \`Last-Event-ID\` names the last event that the caller has: what changed since comes after \`connected\`, and an id that is too old or from another replica is answered with \`resync\`. Several changes of one object are one event. The caller gets the changes of objects that lists show them, as reviewed when the change happens; access reviews are cached for seconds. A stream ends when its token is revoked, when its reader does not read, and when the replica stops. A caller may have ${MAX_STREAMS_OF_CALLER} streams on a replica, and all callers as many as VEXIL_CHANGE_STREAM_LIMIT allows (429).`,
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
