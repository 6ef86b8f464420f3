/** The bodies of requests about API tokens. */
import { z } from 'zod';
import {
  type CreatableType,
  complaintsAbout,
  creatableTypes,
  specOfToken,
  type TokenComplaint,
  type TokenContext,
} from '../../../domain/tokens/new-token.ts';
import type { PropertyDetail } from '../../../errors.ts';
import { invalid, MISSING, quoteValue } from '../../../model/invalid-input.ts';
import { looksLikeToken } from '../../../model/redacted-path.ts';
import type { ApiTokenSpec } from '../../../schema/api-token.ts';
import { printableName } from '../../../schema/fields/shapes.ts';
import { exampleToken, presentProjects } from './api-token.ts';

const name = printableName('The name: nothing that a path cannot hold, and never the value of a token.');

/** JSON Schema has patterns without flags. */
function inAnyCase(words: readonly string[]): RegExp {
  const letters = (word: string) => [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');
  return new RegExp(`^(${words.map(letters).join('|')})$`);
}

const expiresAt = z.iso.datetime({ offset: true }).max(40).nullable();
const wireName = z.string().min(1).max(100);

export const apiTokenBody = z
  .object({
    tokenName: name.nullable().optional(),
    username: name.nullable().optional().meta({ description: 'The name of the token in requests of older clients.' }),
    type: z
      .string()
      .regex(inAnyCase(creatableTypes), {
        message: `must be ${creatableTypes.join(', ')}; personal tokens are ApiTokens, which are created with kubectl`,
      })
      .meta({ description: 'admin, client or frontend, in letters of any case.' }),
    environment: wireName.nullable().optional().meta({
      description: 'The environment of a client or frontend token. For an admin token: `*`, or left out.',
    }),
    project: wireName
      .nullable()
      .optional()
      .meta({ description: 'The project, if the token is for one. `*`: all projects.' }),
    projects: z.array(wireName).max(100).nullable().optional().meta({
      description: 'The ids of the projects of a client or frontend token. Left out, or `*` alone: all.',
    }),
    expiresAt: expiresAt.optional().meta({ description: 'From this time on, the token is refused. Left out: never.' }),
  })
  .meta({
    id: 'CreateApiToken',
    description:
      'Either tokenName or username is needed. A property that is null or left out gets its default. Unknown properties are dropped.',
    examples: [exampleToken],
  });
type ApiTokenBody = z.infer<typeof apiTokenBody>;

/** Unleash requires the property too: if it were left out by mistake, the token would never expire. */
export const apiTokenUpdateBody = z
  .object({
    expiresAt: expiresAt.meta({
      description: 'From this time on, the token is refused. A time in the past: at once. Null: never.',
    }),
  })
  .meta({
    id: 'UpdateApiToken',
    description: 'Other properties of a token cannot be changed. Unknown properties are dropped.',
    examples: [{ expiresAt: exampleToken.expiresAt }],
  });

/** The time in the form that the API server accepts, with any offset in the request. */
export function timeOf(sent: string | null | undefined): string | undefined {
  return sent === undefined || sent === null ? undefined : new Date(sent).toISOString();
}

/** The type in its standard spelling; requests may use any case. */
export function typeOfCreate({ type }: ApiTokenBody): CreatableType {
  const found = creatableTypes.find((one) => one === type.toLowerCase());
  if (!found) throw invalid([inBody('type', `must be one of ${creatableTypes.join(', ')}.`, type)]);
  return found;
}

/** The value of a token in place of a name is never disclosed, not even in this answer. */
export function nameOfCreate({ tokenName, username }: ApiTokenBody): string {
  const wanted = tokenName ?? username;
  if (wanted === undefined || wanted === null) {
    throw invalid([{ part: 'body', keys: ['tokenName'], ...MISSING }]);
  }
  if (looksLikeToken(wanted)) {
    throw invalid([{ part: 'body', keys: ['tokenName'], complaint: 'must be a name, and not the value of a token.' }]);
  }
  if (wanted === '.' || wanted === '..') {
    throw invalid([inBody('tokenName', 'must be a name that a path can hold.', wanted)]);
  }
  return wanted;
}

function inBody(property: string, complaint: string, value: unknown): PropertyDetail {
  return { part: 'body', keys: [property], complaint, value: quoteValue(value) };
}

/** The spec for a body, without the name (docs/unleash-compatibility.md#api-tokens). Throws ValidationError. */
export function tokenSpecOfCreate(body: ApiTokenBody, type: CreatableType, context: TokenContext): ApiTokenSpec {
  const wanted = {
    type,
    environment: body.environment ?? null,
    projects: projectsOf(body),
    expiresAt: body.expiresAt ?? undefined,
  };
  const complaints = [
    ...complaintsAbout(wanted, context).map((one) => detailOf(one, body)),
    ...aboutContradiction(body),
  ];
  if (complaints.length > 0) throw invalid(complaints);
  return specOfToken(wanted);
}

/** Undefined if the body does not mention projects. */
function projectsOf({ projects, project }: ApiTokenBody): readonly string[] | undefined {
  return projects ?? (typeof project === 'string' ? [project] : undefined);
}

function detailOf({ field, complaint, value }: TokenComplaint, { projects }: ApiTokenBody): PropertyDetail {
  const property = field === 'projects' && !projects ? 'project' : field;
  // A `*` that does not stand for all projects.
  const withOthers = field === 'projects' && value === '*' ? ' with other projects' : '';
  return { ...inBody(property, complaint, value), value: `${quoteValue(value)}${withOthers}` };
}

/** Refuses a contradiction, because the meaning must not be guessed. */
function aboutContradiction({ project, projects }: ApiTokenBody): readonly PropertyDetail[] {
  if (!projects || typeof project !== 'string' || project === presentProjects(projects)) return [];
  return [inBody('project', 'must say what `projects` says, or be left out.', project)];
}
