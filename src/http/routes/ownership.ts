/** Who holds which field of a flag, and handing fields over to Vexil. */
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import { findAnyFlag } from '../find.ts';
import { leavesToHandOver, nextStepAfter } from '../hand-over.ts';
import { toFlag } from '../identity/asks.ts';
import { ifPresent } from '../precondition.ts';
import { route, type Services } from '../route.ts';
import {
  FIRST_PAGE,
  handOverBody,
  type OwnershipPage,
  ownershipQuery,
  presentOwnership,
  wireHandOver,
  wireOwnership,
} from '../wire/ownership.ts';
import { flagPath } from './features.ts';

const path = '/projects/:projectId/features/:featureName/ownership';

function show({ catalog, flags }: Services, flag: FeatureFlag, page: OwnershipPage) {
  const { project } = catalog.surroundingsOf(flag);
  return presentOwnership({ flag, project, leaves: flags.leavesOf(flag) }, page);
}

export const ownershipRoutes = [
  route({
    method: 'get',
    path,
    summary: 'Read who holds which field of a flag, archived or not.',
    refuses: ['not-found'],
    asks: toFlag('get', 'NONE'),
    params: flagPath,
    query: ownershipQuery,
    answer: 200,
    response: wireOwnership,
    handle: (services, { params, query }) => show(services, findAnyFlag(services.catalog, params), query),
  }),
  route({
    method: 'post',
    path,
    summary:
      'Make Vexil hold fields beside a GitOps tool, which can drop them afterwards without taking the values away.',
    refuses: ['not-found', 'operation-denied'],
    asks: toFlag('patch', 'UPDATE_FEATURE'),
    params: flagPath,
    body: handOverBody,
    answer: 200,
    response: wireHandOver,
    handle: async (services, { params, body, dryRun, ifMatch }) => {
      const { catalog, flags, pages } = services;
      const { metadata } = findAnyFlag(catalog, params);
      const expect = ifPresent(ifMatch, pages, (flag) => show(services, flag, FIRST_PAGE));
      const { object, leaves } = await flags.coOwn(metadata, (all) => leavesToHandOver(all, body.fields), {
        dryRun,
        expect,
      });
      const handedOver = leaves.map(({ text }) => text);
      return { ...show(services, object, FIRST_PAGE), handedOver, nextStep: nextStepAfter(leaves) };
    },
  }),
];
