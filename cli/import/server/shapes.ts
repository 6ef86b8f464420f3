/** What is read of the answers of Unleash 4.19 to 8. Other members are ignored. */
import { z } from 'zod';

const text = z.string();
const maybeText = text.nullish();

export const wireVersion = z.object({
  version: maybeText,
  versionInfo: z.object({ current: z.record(text, z.unknown()).nullish() }).nullish(),
});

export const wireEnvironments = z.object({ environments: z.array(z.looseObject({ name: text })) });

export const wireProjects = z.object({ projects: z.array(z.object({ id: text })) });

/** Before version 5, environments are names. */
export const wireProject = z.object({
  name: text,
  description: maybeText,
  mode: maybeText,
  defaultStickiness: maybeText,
  environments: z.array(z.union([text, z.object({ environment: text }).transform(({ environment }) => environment)])),
  featureNaming: z.object({ pattern: maybeText, example: maybeText, description: maybeText }).nullish(),
});
export type WireProject = z.infer<typeof wireProject>;

const wireTag = z.object({ type: text, value: text });
export const wireTags = z.object({ tags: z.array(wireTag) });

/** The flags of a project, or a page of a search. */
export const wireFlagNames = z.object({
  features: z.array(z.object({ name: text, tags: z.array(wireTag).nullish() })),
  total: z.number().nullish(),
});

export const wireArchive = z.object({
  features: z.array(
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
  environments: z.array(
    z.object({
      name: text,
      enabled: z.boolean(),
      lastSeenAt: maybeText,
      strategies: z.array(wireStrategy),
      variants: z.array(z.unknown()).nullish(),
      /** Of the paid edition, from version 6 on. */
      releasePlans: z.array(z.unknown()).nullish(),
    }),
  ),
  variants: z.array(z.unknown()).nullish(),
  dependencies: z.array(z.unknown()).nullish(),
});
export type WireFlag = z.infer<typeof wireFlag>;

export const wireSegments = z.object({ segments: z.array(z.looseObject({ id: z.number(), name: text })) });

export const wireTypes = z.object({
  strategies: z.array(z.looseObject({ name: text, editable: z.boolean().nullish() })),
});

export const wireContext = z.array(
  z.object({
    name: text,
    description: maybeText,
    stickiness: z.boolean().nullish(),
    legalValues: z.array(z.object({ value: text, description: maybeText })).nullish(),
  }),
);

/** Before version 5, tokens have a username in place of a name, and one project. */
export const wireTokens = z.object({
  tokens: z.array(
    z.object({
      secret: text,
      tokenName: maybeText,
      username: maybeText,
      type: text,
      environment: maybeText,
      project: maybeText,
      projects: z.array(text).nullish(),
      expiresAt: maybeText,
    }),
  ),
});
export type WireToken = z.infer<typeof wireTokens>['tokens'][number];

export const wireUsers = z.object({
  users: z.array(
    z.object({
      id: z.number(),
      username: maybeText,
      name: maybeText,
      email: maybeText,
      rootRole: z.number().nullish(),
    }),
  ),
  rootRoles: z.array(z.object({ id: z.number(), name: text })).nullish(),
});
export type WireUsers = z.infer<typeof wireUsers>;

export const wireRoles = z.object({
  roles: z.array(z.object({ id: z.number(), name: text, type: maybeText, description: maybeText })),
});

const wirePermission = z.object({ name: text, environment: maybeText });

export const wireRole = z.object({ permissions: z.array(wirePermission) });

export const wireAccess = z.object({
  users: z.array(z.object({ id: z.number(), roleId: z.number().nullish(), roles: z.array(z.number()).nullish() })),
  groups: z.array(z.unknown()).nullish(),
  roles: z.array(z.object({ id: z.number(), name: text })),
});
export type WireAccess = z.infer<typeof wireAccess>;
