/** What callers send about API tokens. */
import { z } from 'zod';
import type { ErrorDetail } from '../../errors.ts';
import type { ApiTokenSpec } from '../../schema/api-token.ts';
import { printableName } from '../../schema/shapes.ts';
import { looksLikeToken } from '../redacted-path.ts';
import { about, invalid, shown } from '../validation.ts';
import { exampleToken, presentProjects } from './api-token.ts';

const name = printableName('The name: nothing that a path cannot hold, and never the value of a token.');
/** The types that can be created here (facts §8). */
const creatable = ['admin', 'client', 'frontend'] as const;
type CreatableType = (typeof creatable)[number];

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
    username: name.nullable().optional().meta({ description: 'The name, as older clients say it.' }),
    type: z
      .string()
      .regex(inAnyCase(creatable), {
        message: `must be ${creatable.join(', ')}; personal tokens are ApiTokens, which are created with kubectl`,
      })
      .meta({ description: 'admin, client or frontend, in letters of any case.' }),
    environment: wireName.nullable().optional().meta({
      description: 'The environment of a client or frontend token. Of an admin token `*`, or left out.',
    }),
    project: wireName.nullable().optional().meta({ description: 'Of projects, if it is one. `*`: all.' }),
    projects: z.array(wireName).max(100).nullable().optional().meta({
      description: 'The ids of the projects of a client or frontend token. Left out, or `*` alone: all.',
    }),
    expiresAt: expiresAt.optional().meta({ description: 'From then on it is refused. Left out: never.' }),
  })
  .meta({
    id: 'CreateApiToken',
    description:
      'Either tokenName or username is needed. What is null or left out has its default. Unknown properties are dropped.',
    examples: [exampleToken],
  });
type ApiTokenBody = z.infer<typeof apiTokenBody>;

/** Real servers want the property too: left out by mistake, it would make a token eternal. */
export const apiTokenUpdateBody = z
  .object({
    expiresAt: expiresAt.meta({ description: 'From then on it is refused, at once if it is past. Null: never.' }),
  })
  .meta({
    id: 'UpdateApiToken',
    description: 'Nothing else of a token can be changed. Unknown properties are dropped.',
    examples: [{ expiresAt: exampleToken.expiresAt }],
  });

/** As the API server takes it, whatever the offset that it was sent with. */
export function timeOf(sent: string | null | undefined): string | undefined {
  return sent === undefined || sent === null ? undefined : new Date(sent).toISOString();
}

/** In whatever case it is written, it is one of these from here on. */
export function typeOfCreate({ type }: ApiTokenBody): CreatableType {
  const found = creatable.find((one) => one === type.toLowerCase());
  if (!found)
    throw invalid([about('body', ['type'], `must be one of ${creatable.join(', ')}. You sent ${shown(type)}.`)]);
  return found;
}

/** A value in place of a name is not told to anybody, not even in this answer. */
export function nameOfCreate({ tokenName, username }: ApiTokenBody): string {
  const wanted = tokenName ?? username;
  if (wanted === undefined || wanted === null) {
    throw invalid([about('body', ['tokenName'], 'is required. It was not present on the data you sent.')]);
  }
  if (looksLikeToken(wanted))
    throw invalid([about('body', ['tokenName'], 'must be a name, and not the value of a token.')]);
  if (wanted === '.' || wanted === '..') {
    throw invalid([about('body', ['tokenName'], `must be a name that a path can hold. You sent ${shown(wanted)}.`)]);
  }
  return wanted;
}

/** What there is when a token is created. */
export interface TokenGround {
  readonly isProject: (id: string) => boolean;
  readonly isEnvironment: (name: string) => boolean;
  /** In ms since 1970. */
  readonly now: number;
}

/** Without the name. Throws ValidationError (facts §8). */
export function specOfCreate(body: ApiTokenBody, type: CreatableType, ground: TokenGround): ApiTokenSpec {
  const projects = projectsOf(body);
  const complaints = [
    ...(type === 'admin' ? aboutScopeOfAdmin(body, projects) : aboutScope({ ...body, type }, projects, ground)),
    ...aboutContradiction(body),
    ...aboutExpiry(body, ground),
  ];
  if (complaints.length > 0) throw invalid(complaints);
  const { environment } = body;
  const time = timeOf(body.expiresAt);
  return {
    type,
    ...(type !== 'admin' && typeof environment === 'string' && { environment }),
    ...(type !== 'admin' && !isAll(projects) && { projects: [...new Set(projects)] }),
    ...(time !== undefined && { expiresAt: time }),
  };
}

/** Undefined: the body says nothing of them. */
function projectsOf({ projects, project }: ApiTokenBody): readonly string[] | undefined {
  return projects ?? (typeof project === 'string' ? [project] : undefined);
}

/** `*` beside others is none of these. */
function isAll(projects: readonly string[] | undefined): boolean {
  return projects === undefined || (projects.length === 1 && projects[0] === '*');
}

function aboutScopeOfAdmin(body: ApiTokenBody, projects: readonly string[] | undefined): readonly ErrorDetail[] {
  const { environment = null } = body;
  const every = 'must be left out, or *: an admin token is for everything. You sent';
  return [
    ...(environment === null || environment === '*'
      ? []
      : [about('body', ['environment'], `${every} ${shown(environment)}.`)]),
    ...(isAll(projects) ? [] : [about('body', [propertyOf(body)], `${every} ${shown(projects)}.`)]),
  ];
}

function aboutScope(
  body: ApiTokenBody,
  projects: readonly string[] | undefined,
  { isProject, isEnvironment }: TokenGround,
): readonly ErrorDetail[] {
  const { environment = null, type } = body;
  return [
    ...(environment !== null && isEnvironment(environment)
      ? []
      : [
          about(
            'body',
            ['environment'],
            `must be the name of the environment that the ${type} token is for. You sent ${shown(environment)}.`,
          ),
        ]),
    ...(isAll(projects) ? [] : aboutProjects(body, projects ?? [], isProject)),
  ];
}

function aboutProjects(
  body: ApiTokenBody,
  projects: readonly string[],
  isProject: TokenGround['isProject'],
): readonly ErrorDetail[] {
  if (projects.length === 0) {
    return [about('body', ['projects'], 'must not be empty: leave it out for all projects. You sent [].')];
  }
  const complaint = (id: string) =>
    `must hold ids of projects, or * alone for all. You sent ${shown(id)}${id === '*' ? ' beside others' : ''}.`;
  return projects.filter((id) => !isProject(id)).map((id) => about('body', [propertyOf(body)], complaint(id)));
}

function propertyOf({ projects }: ApiTokenBody): 'projects' | 'project' {
  return projects ? 'projects' : 'project';
}

/** Which of the two is meant must not be guessed at. */
function aboutContradiction({ project, projects }: ApiTokenBody): readonly ErrorDetail[] {
  if (!projects || typeof project !== 'string' || project === presentProjects(projects)) return [];
  const complaint = `must say what \`projects\` says, or be left out. You sent ${shown(project)}.`;
  return [about('body', ['project'], complaint)];
}

function aboutExpiry({ expiresAt: sent }: ApiTokenBody, { now }: TokenGround): readonly ErrorDetail[] {
  if (typeof sent !== 'string' || Date.parse(sent) > now) return [];
  return [about('body', ['expiresAt'], `must be in the future. You sent ${shown(sent)}.`)];
}
