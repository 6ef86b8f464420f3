/** Endpoints 13 and 14: on and off in an environment. */
import type { EditPlace } from '../../domain/edit-place.ts';
import { disableIn, enableIn } from '../../domain/switch.ts';
import type { ErrorCode } from '../../errors.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import { findAnyFlag } from '../find.ts';
import { toFlag } from '../identity/asks.ts';
import { ifPresent } from '../precondition.ts';
import { type Route, route } from '../route.ts';
import { environmentName } from './environments.ts';
import { flagPath } from './features.ts';

export const environmentPath = flagPath.extend({ environment: environmentName });

interface Switch {
  readonly position: 'on' | 'off';
  readonly refuses: readonly ErrorCode[];
  readonly edit: (flag: FeatureFlag, place: EditPlace) => FlagSpec;
}

function switchRoute({ position, refuses, edit }: Switch): Route {
  return route({
    method: 'post',
    path: `/projects/:projectId/features/:featureName/environments/:environment/${position}`,
    summary: `Switch a flag ${position} in an environment.`,
    refuses: ['not-found', 'archived', ...refuses],
    asks: toFlag('patch', 'UPDATE_FEATURE_ENVIRONMENT'),
    params: environmentPath,
    answer: 200,
    handle: async ({ catalog, flags, pages }, { params, dryRun, ifMatch }) => {
      const { environment } = params;
      const turn = (flag: FeatureFlag) => edit(flag, { environment, surroundings: catalog.surroundingsOf(flag) });
      const { metadata } = findAnyFlag(catalog, params);
      await flags.change(metadata, turn, { dryRun, expect: ifPresent(ifMatch, pages) });
    },
  });
}

export const switchRoutes = [
  switchRoute({ position: 'on', refuses: ['cannot-enable'], edit: enableIn }),
  switchRoute({ position: 'off', refuses: [], edit: disableIn }),
];
