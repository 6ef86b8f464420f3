/** /api-tokens. Paths take names of tokens, never values. */
import { z } from 'zod';
import { requirePermissions } from '../../access/authorization/require-permissions.ts';
import { type Known, type Requirement, toHome } from '../../access/authorization/requirements.ts';
import { createApiToken } from '../../actions/create-api-token.ts';
import { expireAt } from '../../domain/tokens/token-validity.ts';
import { Refusal } from '../../errors.ts';
import type { ApiToken, ApiTokenSpec } from '../../schema/api-token.ts';
import type { PermissionName } from '../../schema/permission.ts';
import { presentApiToken, wireApiToken, wireApiTokens } from '../../wire/admin/people/api-token.ts';
import {
  apiTokenBody,
  apiTokenUpdateBody,
  nameOfCreate,
  timeOf,
  tokenSpecOfCreate,
  typeOfCreate,
} from '../../wire/admin/people/api-token-input.ts';
import { mapApiServerErrors } from '../route/map-api-server-errors.ts';
import { ifSeen } from '../route/precondition.ts';
import { type RouteServices, route } from '../route/route.ts';
import { represent } from '../server/answer/representation.ts';

const tokenPath = z.object({
  tokenName: z.string().meta({ description: 'The name of the token, never its value.', examples: ['shop-backend'] }),
});
type TokenPath = z.infer<typeof tokenPath>;

type TokenOperation = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE';
type TokenType = ApiTokenSpec['type'];

/** The permission for tokens of a type (docs/unleash-compatibility.md#permissions-and-roles). */
function permissionFor(operation: TokenOperation, type: TokenType): PermissionName {
  if (type === 'client') return `${operation}_CLIENT_API_TOKEN`;
  return type === 'frontend' ? `${operation}_FRONTEND_API_TOKEN` : 'ADMIN';
}

/** The type is known later, so a caller without the permission for any type is refused first. */
function toTokens<P>(
  operation: TokenOperation,
  verb: 'get' | 'list' | 'create' | 'patch' | 'delete',
  find?: (known: Known, params: P) => ApiToken | undefined,
): Requirement<P> {
  const [permission, other] = [permissionFor(operation, 'client'), permissionFor(operation, 'frontend')];
  return toHome({ verb, resource: 'apitokens', permission, orAny: [other], ...(find && { find }) });
}

function findKnown({ catalog }: Known, { tokenName }: TokenPath): ApiToken | undefined {
  return catalog.token(tokenName);
}

/**
 * The token, if the caller has the permission for its type. The error does not repeat the name, which may be the value
 * of a token.
 */
async function tokenFor(
  { catalog, caller }: RouteServices,
  operation: TokenOperation,
  { tokenName }: TokenPath,
): Promise<ApiToken> {
  const token = catalog.token(tokenName);
  if (!token) {
    throw new Refusal(
      'not-found',
      'There is no API token with that name. A path takes the name of a token, never its value.',
    );
  }
  await requirePermissions(caller, [{ permission: permissionFor(operation, token.spec.type) }]);
  return token;
}

function show(token: ApiToken) {
  return { tokens: [presentApiToken(token)] };
}

/** A token of another type may have the name by now. */
function ifTokenSeen(ifMatch: string | undefined, found: ApiToken) {
  const matches = ifSeen(ifMatch, 'API token', (one: ApiToken) => [represent(show(one))]);
  return (one: ApiToken): void => {
    if (one.metadata.uid !== found.metadata.uid) throw new Refusal('not-found', 'The API token was deleted meanwhile.');
    matches(one);
  };
}

export const apiTokenRoutes = [
  route({
    method: 'get',
    path: '/api-tokens',
    summary: 'List the API tokens of the types that you may read, without their values.',
    description:
      '`secret` is the beginning of the value and `…`, or `…` alone for a value from a Secret of your own. `alias` is null. The list has no paging.',
    errors: [],
    requires: toTokens('READ', 'list'),
    answer: 200,
    response: wireApiTokens,
    handle: async ({ catalog, caller }) => {
      const tokens = catalog.tokens();
      const types = [...new Set(tokens.map(({ spec }) => spec.type))];
      const refusals = await Promise.all(
        types.map((type) => caller.refusal({ permission: permissionFor('READ', type) })),
      );
      const readable = types.filter((_, index) => refusals[index] === undefined);
      return {
        tokens: tokens.filter(({ spec }) => readable.includes(spec.type)).map((token) => presentApiToken(token)),
      };
    },
  }),
  route({
    method: 'get',
    path: '/api-tokens/:tokenName',
    summary: 'Read an API token, without its value.',
    description: 'Answers a list of one token. The path takes the name: the value of a token answers 404.',
    errors: ['not-found'],
    requires: toTokens('READ', 'get', findKnown),
    params: tokenPath,
    answer: 200,
    response: wireApiTokens,
    handle: async (services, { params }) => show(await tokenFor(services, 'READ', params)),
  }),
  route({
    method: 'post',
    path: '/api-tokens',
    summary: 'Create an API token. Only this answer shows the value of the token.',
    description:
      'The request waits up to 15 seconds for the leader to create the value. If the leader does not, Vexil removes the token again and the answer is 503, or 409 if the Secret `vexil-token-NAME` exists for another purpose. If the replica, the API server or the caller goes away during the wait, the token stays: read its value from its Secret, or delete the token. Names are unique across types. Kubernetes users also need `get` on that Secret. Create personal tokens with kubectl or Git.',
    errors: ['name-taken'],
    requires: toTokens('CREATE', 'create'),
    body: apiTokenBody,
    answer: 201,
    response: wireApiToken,
    handle: async (services, { body, dryRun }) => {
      const { catalog, caller, now } = services;
      const type = typeOfCreate(body);
      await requirePermissions(caller, [{ permission: permissionFor('CREATE', type) }]);
      const spec = tokenSpecOfCreate(body, type, {
        isProject: (id) => catalog.project(id) !== undefined,
        isEnvironment: (name) => catalog.environment(name) !== undefined,
        now: now(),
      });
      const creation = createApiToken(services, { wireName: nameOfCreate(body), spec, dryRun });
      const { token, value } = await mapApiServerErrors({ at: [], wanted: () => body }, creation);
      return presentApiToken(token, value);
    },
  }),
  route({
    method: 'put',
    path: '/api-tokens/:tokenName',
    summary: 'Change when an API token expires.',
    description:
      'A time in the past ends the token at once. A time in the future makes an expired token valid again: delete a token to revoke it for good. `If-Match` takes the ETag of the token, which changes when the token is used, at most once an hour.',
    errors: ['not-found'],
    requires: toTokens('UPDATE', 'patch', findKnown),
    params: tokenPath,
    body: apiTokenUpdateBody,
    answer: 200,
    handle: async (services, { params, body, dryRun, ifMatch }) => {
      const token = await tokenFor(services, 'UPDATE', params);
      const edit = (one: ApiToken) => expireAt(one, timeOf(body.expiresAt));
      const write = services.tokens.change(token.metadata, edit, { dryRun, expect: ifTokenSeen(ifMatch, token) });
      await mapApiServerErrors({ at: [], wanted: () => body }, write);
    },
  }),
  route({
    method: 'delete',
    path: '/api-tokens/:tokenName',
    summary: 'Delete an API token, which revokes it on every replica.',
    description:
      'An unknown name answers 404, where Unleash answers 200. The path takes the name: the value of a token answers 404 as well, and the token stays valid.',
    errors: ['not-found'],
    requires: toTokens('DELETE', 'delete', findKnown),
    params: tokenPath,
    answer: 200,
    handle: async (services, { params, dryRun, ifMatch }) => {
      const token = await tokenFor(services, 'DELETE', params);
      await services.tokens.delete(token, { dryRun, expect: ifTokenSeen(ifMatch, token) });
    },
  }),
];
