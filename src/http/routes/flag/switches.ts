/** POST …/environments/:environment/on and /off, PUT …/window: the switch of a flag, and when it has an effect. */

import { toFlag } from '../../../access/authorization/requirements.ts';
import { findAnyFlag } from '../../../catalog/find.ts';
import type { EditPlace } from '../../../domain/flag/edit/edit-place.ts';
import { setWindow } from '../../../domain/flag/edit/edit-window.ts';
import { disableIn, enableIn } from '../../../domain/flag/edit/switch.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../../schema/feature-flag.ts';
import { windowBody, windowOf } from '../../../wire/admin/flag/rollout.ts';
import { mapApiServerErrors } from '../../route/map-api-server-errors.ts';
import { ifPresent } from '../../route/precondition.ts';
import { type Route, route } from '../../route/route.ts';
import { environmentName } from '../environments.ts';
import { flagPath } from './features.ts';

export const environmentPath = flagPath.extend({ environment: environmentName });

interface FlagSwitch {
  readonly position: 'on' | 'off';
  readonly errors: readonly ErrorCode[];
  readonly edit: (flag: FeatureFlag, place: EditPlace) => FlagSpec;
}

function switchRoute({ position, errors, edit }: FlagSwitch): Route {
  return route({
    method: 'post',
    path: `/projects/:projectId/features/:featureName/environments/:environment/${position}`,
    summary: `Switch a flag ${position} in an environment.`,
    errors: ['not-found', 'archived', ...errors],
    requires: toFlag('patch', 'UPDATE_FEATURE_ENVIRONMENT'),
    params: environmentPath,
    answer: 200,
    handle: async ({ catalog, flags, pages }, { params, dryRun, ifMatch }) => {
      const { environment } = params;
      const turn = (flag: FeatureFlag) => edit(flag, { environment, flagContext: catalog.flagContextOf(flag) });
      const { metadata } = findAnyFlag(catalog, params);
      await flags.change(metadata, turn, { dryRun, expect: ifPresent(ifMatch, pages) });
    },
  });
}

export const switchRoutes = [
  switchRoute({ position: 'on', errors: ['cannot-enable'], edit: enableIn }),
  switchRoute({ position: 'off', errors: [], edit: disableIn }),
  route({
    method: 'put',
    path: '/projects/:projectId/features/:featureName/environments/:environment/window',
    summary: 'Set the time in which the switch of a flag in an environment has an effect.',
    description:
      'The request replaces both ends of the time window. An empty body removes the window. `If-Match` takes the ETag of the flag.',
    errors: ['not-found', 'archived'],
    requires: toFlag('patch', 'UPDATE_FEATURE_ENVIRONMENT'),
    params: environmentPath,
    body: windowBody,
    answer: 200,
    handle: async ({ catalog, flags, pages }, { params, body, dryRun, ifMatch }) => {
      const { environment } = params;
      const edit = (flag: FeatureFlag) =>
        setWindow(flag, { environment, flagContext: catalog.flagContextOf(flag) }, windowOf(body));
      const { metadata } = findAnyFlag(catalog, params);
      const write = flags.change(metadata, edit, { dryRun, expect: ifPresent(ifMatch, pages) });
      await mapApiServerErrors({ at: ['environments', environment], wanted: () => body }, write);
    },
  }),
];
