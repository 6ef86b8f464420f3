/** API tokens on the wire. */
import { z } from 'zod';
import { wireNameOf } from '../../../domain/identity/names.ts';
import { newTokenValue } from '../../../domain/tokens/token-value.ts';
import { type ApiToken, tokenTypes } from '../../../schema/api-token.ts';
import { presentTime, presentTimeOrNull, wireTime } from '../timestamp.ts';

/** Stands for a secret that is not shown. */
const HIDDEN = '…';

/** For the API document. */
export const exampleToken = {
  tokenName: 'shop-backend',
  type: 'client',
  environment: 'production',
  projects: ['shop'],
  expiresAt: '2030-01-01T00:00:00.000Z',
} as const;

export const wireApiToken = z
  .object({
    secret: z.string().meta({
      description:
        'The value of the token, only in the answer that creates the token. In other answers, the beginning of the value and `…`, or `…` alone for a value from a Secret of your own.',
    }),
    tokenName: z.string(),
    username: z.string().meta({ description: 'The same as tokenName.' }),
    type: z.enum(tokenTypes),
    project: z.string().meta({ description: 'The id of its one project, `*` for all, `[]` for several.' }),
    projects: z.array(z.string()).meta({ description: 'Ids of projects, or `*` alone for all.' }),
    environment: z.string().meta({ description: 'The name of its environment, `*` for all.' }),
    expiresAt: wireTime.nullable().meta({ description: 'From this time on, the token is refused. Null: never.' }),
    createdAt: wireTime,
    seenAt: wireTime
      .nullable()
      .meta({ description: 'The time of its last use, accurate to about an hour. Null: never used.' }),
    alias: z.null(),
  })
  .meta({
    id: 'ApiToken',
    description: 'A token of the API.',
    examples: [
      {
        ...exampleToken,
        secret: 'shop:production.…',
        username: 'shop-backend',
        project: 'shop',
        projects: ['shop'],
        createdAt: '2026-03-01T09:30:00.000Z',
        seenAt: null,
        alias: null,
      },
    ],
  });
type WireApiToken = z.infer<typeof wireApiToken>;

export const wireApiTokens = z
  .object({ tokens: z.array(wireApiToken).meta({ description: 'The oldest first, then by name.' }) })
  .meta({ id: 'ApiTokens' });

/** `secret` is the value, for the caller who has just created the token. */
export function presentApiToken(token: ApiToken, secret = maskedValue(token)): WireApiToken {
  const { spec, metadata, status } = token;
  const tokenName = wireNameOf(token);
  const projects = [...(spec.projects ?? ['*'])];
  return {
    secret,
    tokenName,
    username: tokenName,
    type: spec.type,
    project: presentProjects(projects),
    projects,
    environment: spec.environment ?? '*',
    expiresAt: presentTimeOrNull(spec.expiresAt),
    createdAt: presentTime(metadata.creationTimestamp),
    seenAt: presentTimeOrNull(status?.seenAt),
    alias: null,
  };
}

/** Several projects in one word, as in values of tokens (docs/unleash-compatibility.md#api-tokens). */
export function presentProjects([only = '*', ...more]: readonly string[]): string {
  return more.length > 0 ? '[]' : only;
}

/** Nothing is known about a value that was not generated. */
function maskedValue({ spec }: ApiToken): string {
  return spec.secretRef ? HIDDEN : newTokenValue(spec, HIDDEN);
}
