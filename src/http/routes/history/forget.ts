/** POST /history/forget: replaces a person in the history. */
import { toHome } from '../../../access/authorization/requirements.ts';
import { forgettingBody, wireForgetting } from '../../../wire/admin/event/forgetting.ts';
import { explainArchive } from '../../pages/readable-history.ts';
import { route } from '../../route/route.ts';

export const forgetRoutes = [
  route({
    method: 'post',
    path: '/history/forget',
    summary: 'Forget a person in the history: replace the names by a pseudonym. Each request does a part of the work.',
    description:
      'Send the request again with `next` as `position` until `next` is null. A request works for about a second. A forgetting that was interrupted goes on with the same pseudonym. A dry run counts in the same way and writes nothing. The names are in the body, so that no access log has them. `docs/history.md` says what is replaced and what is not.',
    errors: [],
    requires: toHome({ verb: 'delete', resource: 'flagusers', permission: 'ADMIN' }),
    body: forgettingBody,
    answer: 200,
    answersPlan: true,
    creates: true,
    response: wireForgetting,
    handle: ({ forgetting, caller: { author }, reason }, { body, dryRun: isDryRun, signal }) =>
      forgetting.goOn({ position: undefined, ...body, isDryRun, author, reason, signal }).catch(explainArchive),
  }),
];
