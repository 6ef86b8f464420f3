/** What is read of the answers of Unleash 4.19 to 8. Other members are ignored. */
import { z } from 'zod';
import { MAX_ITEMS } from '../../connection/pages.ts';

/** Each member of most lists is another call. */
const listOf = <T extends z.ZodType>(item: T) => z.array(item).max(MAX_ITEMS);
const text = z.string();
const maybeText = text.nullish();

export const wireVersion = z.object({
  version: maybeText,
  versionInfo: z.object({ current: z.record(text, z.unknown()).nullish() }).nullish(),
});

export const wireEnvironments = z.object({ environments: listOf(z.looseObject({ name: text })) });

export const wireProjects = z.object({ projects: listOf(z.object({ id: text })) });

/** Before version 5, environments are names. */
export const wireProject = z.object({
  name: text,
  description: maybeText,
  mode: maybeText,
  defaultStickiness: maybeText,
  environments: listOf(z.union([text, z.object({ environment: text }).transform(({ environment }) => environment)])),
  featureNaming: z.object({ pattern: maybeText, example: maybeText, description: maybeText }).nullish(),
});
export type WireProject = z.infer<typeof wireProject>;

const wireTag = z.object({ type: text, value: text });
export const wireTags = z.object({ tags: listOf(wireTag) });

/** The flags of a project, or a page of a search. */
export const wireFlagNames = z.object({
  features: listOf(z.object({ name: text, tags: listOf(wireTag).nullish() })),
  total: z.number().nullish(),
});

export const wireArchive = z.object({
  features: listOf(
    z.object({
      name: text,
      project: maybeText,
      type: maybeText,
      description: maybeText,
      stale: z.boolean().nullish(),
      impressionData: z.boolean().nullish(),
    }),
  ),
  total: z.number().nullish(),
});
export type ArchivedFlag = z.infer<typeof wireArchive>['features'][number];

const wireStrategy = z.looseObject({ name: text, sortOrder: z.number().nullish() });

export const wireFlag = z.object({
  name: text,
  type: maybeText,
  description: maybeText,
  stale: z.boolean().nullish(),
  impressionData: z.boolean().nullish(),
  environments: listOf(
    z.object({
      name: text,
      enabled: z.boolean(),
      lastSeenAt: maybeText,
      strategies: listOf(wireStrategy),
      variants: listOf(z.unknown()).nullish(),
      /** Of the paid edition, from version 6 on. */
      releasePlans: listOf(z.unknown()).nullish(),
    }),
  ),
  variants: listOf(z.unknown()).nullish(),
  dependencies: listOf(z.unknown()).nullish(),
});
export type WireFlag = z.infer<typeof wireFlag>;

export const wireSegments = z.object({ segments: listOf(z.looseObject({ id: z.number(), name: text })) });

export const wireTypes = z.object({
  strategies: listOf(z.looseObject({ name: text, editable: z.boolean().nullish() })),
});

export const wireContext = listOf(
  z.object({
    name: text,
    description: maybeText,
    stickiness: z.boolean().nullish(),
    legalValues: listOf(z.object({ value: text, description: maybeText })).nullish(),
  }),
);

/** Before version 5, tokens have a username in place of a name, and one project. */
export const wireTokens = z.object({
  tokens: listOf(
    z.object({
      secret: text,
      tokenName: maybeText,
      username: maybeText,
      type: text,
      environment: maybeText,
      project: maybeText,
      projects: listOf(text).nullish(),
      expiresAt: maybeText,
    }),
  ),
});
export type WireToken = z.infer<typeof wireTokens>['tokens'][number];

export const wireUsers = z.object({
  users: listOf(
    z.object({
      id: z.number(),
      username: maybeText,
      name: maybeText,
      email: maybeText,
      rootRole: z.number().nullish(),
    }),
  ),
  rootRoles: listOf(z.object({ id: z.number(), name: text })).nullish(),
});
export type WireUsers = z.infer<typeof wireUsers>;

export const wireRoles = z.object({
  roles: listOf(z.object({ id: z.number(), name: text, type: maybeText, description: maybeText })),
});

const wirePermission = z.object({ name: text, environment: maybeText });

export const wireRole = z.object({ permissions: listOf(wirePermission) });

export const wireAccess = z.object({
  users: listOf(z.object({ id: z.number(), roleId: z.number().nullish(), roles: listOf(z.number()).nullish() })),
  groups: listOf(z.unknown()).nullish(),
  roles: listOf(z.object({ id: z.number(), name: text })),
});
export type WireAccess = z.infer<typeof wireAccess>;
