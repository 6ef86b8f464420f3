/** The field owners of a flag, and the hand-over of fields to Vexil. */

import { toFlag } from '../../access/authorization/requirements.ts';
import { fieldsToHandOver, nextStepAfter } from '../../actions/hand-over.ts';
import { findAnyFlag } from '../../catalog/find.ts';
import { inTurn } from '../../runtime/turns.ts';
import type { FeatureFlag } from '../../schema/feature-flag.ts';
import {
  FIRST_PAGE,
  handOverBody,
  type OwnershipPage,
  ownershipQuery,
  presentOwnership,
  wireHandOver,
  wireOwnership,
} from '../../wire/admin/flag/ownership.ts';
import { ifPresent } from '../route/precondition.ts';
import { type RouteServices, route } from '../route/route.ts';
import { flagPath } from './flag/features.ts';

const path = '/projects/:projectId/features/:featureName/ownership';

function show({ catalog, flags }: RouteServices, flag: FeatureFlag, page: OwnershipPage) {
  const { project } = catalog.flagContextOf(flag);
  return presentOwnership({ flag, project, fieldsWithOwners: flags.fieldsWithOwnersOf(flag) }, page);
}

export const ownershipRoutes = [
  route({
    method: 'get',
    path,
    summary: 'List the fields of a flag with their owners. The flag may be archived.',
    errors: ['not-found'],
    requires: toFlag('get', 'NONE'),
    params: flagPath,
    query: ownershipQuery,
    answer: 200,
    response: wireOwnership,
    // The owners of each field of a large flag.
    handle: (services, { params, query, turn }) =>
      inTurn(turn, () => show(services, findAnyFlag(services.catalog, params), query)),
  }),
  route({
    method: 'post',
    path,
    summary:
      'Make Vexil an additional owner of fields of a GitOps tool, so that the tool can drop them without removing the values.',
    errors: ['not-found', 'operation-denied'],
    requires: toFlag('patch', 'UPDATE_FEATURE'),
    touches: 'named',
    params: flagPath,
    body: handOverBody,
    answer: 200,
    response: wireHandOver,
    handle: async (services, { params, body, dryRun, ifMatch }) => {
      const { catalog, flags, pages } = services;
      const { metadata } = findAnyFlag(catalog, params);
      const options = { dryRun, expect: ifPresent(ifMatch, pages, (flag) => show(services, flag, FIRST_PAGE)) };
      const { object, fieldsWithOwners } = await flags.claimFields(
        metadata,
        (all) => fieldsToHandOver(all, body.fields),
        options,
      );
      const handedOver = fieldsWithOwners.map(({ text }) => text);
      return { ...show(services, object, FIRST_PAGE), handedOver, nextStep: nextStepAfter(fieldsWithOwners) };
    },
  }),
];
