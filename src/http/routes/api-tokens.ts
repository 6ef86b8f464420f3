/** API tokens, each by its name: no path takes a value. */
import { z } from 'zod';
import { expireAt } from '../../domain/edit-api-token.ts';
import { AppError } from '../../errors.ts';
import type { ApiToken, ApiTokenSpec } from '../../schema/api-token.ts';
import type { PermissionName } from '../../schema/permission.ts';
import { inWordsOf } from '../cluster-refusal.ts';
import { createApiToken } from '../create-api-token.ts';
import { type Asks, type Known, toHome } from '../identity/asks.ts';
import { requirePermissions } from '../identity/require-permissions.ts';
import { ifSeen } from '../precondition.ts';
import { represent } from '../representation.ts';
import { route, type Services } from '../route.ts';
import { presentApiToken, wireApiToken, wireApiTokens } from '../wire/api-token.ts';
import {
  apiTokenBody,
  apiTokenUpdateBody,
  nameOfCreate,
  specOfCreate,
  timeOf,
  typeOfCreate,
} from '../wire/api-token-input.ts';

const tokenPath = z.object({
  tokenName: z.string().meta({ description: 'The name of the token, never its value.', examples: ['shop-backend'] }),
});
type TokenPath = z.infer<typeof tokenPath>;

type Deed = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE';
type TokenType = ApiTokenSpec['type'];

/** What it takes to do something with a token of a type (facts §7). Only who may do everything may do it with the others. */
function permissionFor(deed: Deed, type: TokenType): PermissionName {
  if (type === 'client') return `${deed}_CLIENT_API_TOKEN`;
  return type === 'frontend' ? `${deed}_FRONTEND_API_TOKEN` : 'ADMIN';
}

/** Which type it is turns out later: whoever may do it with no type at all is refused before. */
function toTokens<P>(
  deed: Deed,
  verb: 'get' | 'list' | 'create' | 'patch' | 'delete',
  find?: typeof findKnown,
): Asks<P & Partial<TokenPath>> {
  const [permission, other] = [permissionFor(deed, 'client'), permissionFor(deed, 'frontend')];
  return toHome({ verb, resource: 'apitokens', permission, orAny: [other], ...(find && { find }) });
}

function findKnown({ catalog }: Known, { tokenName = '' }: Partial<TokenPath>): ApiToken | undefined {
  return catalog.token(tokenName);
}

/** The token, if the caller may do that with its type. A value that was sent as a name is not told. */
async function tokenFor({ catalog, caller }: Services, deed: Deed, { tokenName }: TokenPath): Promise<ApiToken> {
  const token = catalog.token(tokenName);
  if (!token) {
    throw new AppError(
      'not-found',
      'There is no API token of that name. A path takes the name of a token, never its value.',
    );
  }
  await requirePermissions(caller, [{ permission: permissionFor(deed, token.spec.type) }]);
  return token;
}

function show(token: ApiToken) {
  return { tokens: [presentApiToken(token)] };
}

/** Another token may have its name by now, and be of another type. */
function ifTokenSeen(ifMatch: string | undefined, found: ApiToken) {
  const matches = ifSeen(ifMatch, 'API token', (one: ApiToken) => [represent(show(one))]);
  return (one: ApiToken): void => {
    if (one.metadata.uid !== found.metadata.uid)
      throw new AppError('not-found', 'The API token was deleted meanwhile.');
    matches(one);
  };
}

export const apiTokenRoutes = [
  route({
    method: 'get',
    path: '/api-tokens',
    summary: 'List the API tokens of the types that you may read, without their values.',
    refuses: [],
    asks: toTokens('READ', 'list'),
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
    refuses: ['not-found'],
    asks: toTokens('READ', 'get', findKnown),
    params: tokenPath,
    answer: 200,
    response: wireApiTokens,
    handle: async (services, { params }) => show(await tokenFor(services, 'READ', params)),
  }),
  route({
    method: 'post',
    path: '/api-tokens',
    summary: 'Create an API token. The answer shows its value, this once.',
    refuses: ['name-taken'],
    asks: toTokens('CREATE', 'create'),
    body: apiTokenBody,
    answer: 201,
    response: wireApiToken,
    handle: async (services, { body, dryRun }) => {
      const { catalog, caller, now } = services;
      const type = typeOfCreate(body);
      await requirePermissions(caller, [{ permission: permissionFor('CREATE', type) }]);
      const spec = specOfCreate(body, type, {
        isProject: (id) => catalog.project(id) !== undefined,
        isEnvironment: (name) => catalog.environment(name) !== undefined,
        now: now(),
      });
      const creation = createApiToken(services, { wireName: nameOfCreate(body), spec, dryRun });
      const { token, value } = await inWordsOf({ at: [], wanted: () => body }, creation);
      return presentApiToken(token, value);
    },
  }),
  route({
    method: 'put',
    path: '/api-tokens/:tokenName',
    summary: 'Change when an API token expires.',
    refuses: ['not-found'],
    asks: toTokens('UPDATE', 'patch', findKnown),
    params: tokenPath,
    body: apiTokenUpdateBody,
    answer: 200,
    handle: async (services, { params, body, dryRun, ifMatch }) => {
      const token = await tokenFor(services, 'UPDATE', params);
      const edit = (one: ApiToken) => expireAt(one, timeOf(body.expiresAt));
      const write = services.tokens.change(token.metadata, edit, { dryRun, expect: ifTokenSeen(ifMatch, token) });
      await inWordsOf({ at: [], wanted: () => body }, write);
    },
  }),
  route({
    method: 'delete',
    path: '/api-tokens/:tokenName',
    summary: 'Delete an API token, which revokes it on every replica.',
    refuses: ['not-found'],
    asks: toTokens('DELETE', 'delete', findKnown),
    params: tokenPath,
    answer: 200,
    handle: async (services, { params, dryRun, ifMatch }) => {
      const token = await tokenFor(services, 'DELETE', params);
      await services.tokens.delete(token, { dryRun, expect: ifTokenSeen(ifMatch, token) });
    },
  }),
];
