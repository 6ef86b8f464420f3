/** Endpoints 13 and 14: on and off in an environment. */
import { z } from 'zod';
import { disableIn, enableIn, type SwitchPlace } from '../../domain/switch.ts';
import type { FeatureFlag, FlagSpec } from '../../schema/feature-flag.ts';
import { findAnyFlag } from '../find.ts';
import { ifPresent } from '../precondition.ts';
import { type Route, route } from '../route.ts';
import { flagPath } from './features.ts';

const switchPath = flagPath.extend({ environment: z.string() });

function switchRoute(position: 'on' | 'off', edit: (flag: FeatureFlag, place: SwitchPlace) => FlagSpec): Route {
  return route({
    method: 'post',
    path: `/projects/:projectId/features/:featureName/environments/:environment/${position}`,
    permission: 'UPDATE_FEATURE_ENVIRONMENT',
    params: switchPath,
    answer: 200,
    handle: async ({ catalog, flags, pages }, { params, dryRun, ifMatch }) => {
      const { environment } = params;
      const turn = (flag: FeatureFlag) => edit(flag, { environment, surroundings: catalog.surroundingsOf(flag) });
      const { metadata } = findAnyFlag(catalog, params);
      await flags.change(metadata, turn, { dryRun, expect: ifPresent(ifMatch, pages) });
    },
  });
}

export const switchRoutes = [switchRoute('on', enableIn), switchRoute('off', disableIn)];
