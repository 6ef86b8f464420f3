/** The indexes that the caches of the kinds keep. */
import { shardOf } from '../domain/claim-shards.ts';
import { environmentsOf, projectIdOf, strategiesOf } from '../domain/flag-values.ts';
import { type Named, wireNameOf } from '../domain/names.ts';
import type { Numbered } from '../domain/numbered.ts';
import { isBuiltIn } from '../domain/strategy-types.ts';
import { foldedEmail, subjectsOf } from '../domain/subjects.ts';
import type { ApiToken } from '../schema/api-token.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { FlagRole } from '../schema/flag-role.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { Project } from '../schema/project.ts';

/** Key of the index `project`: a flag's project is one in the flag's own namespace. */
export function projectKey(namespace: string, projectId: string): string {
  return `${namespace}/${projectId}`;
}

const wireName = (object: Named) => [wireNameOf(object)];
/** By the part of the claims that its name belongs to. */
const claimShard = (object: Named) => [`${shardOf(wireNameOf(object))}`];
/** What the object wants, and what it has: these differ only where rules of the schema were passed by. */
const id = ({ spec, status }: Numbered) =>
  [spec.id, status?.id].flatMap((one) => (one === undefined ? [] : [`${one}`]));

export const flagIndexes = {
  wireName,
  claimShard,
  project: (flag: FeatureFlag) => [projectKey(flag.metadata.namespace, projectIdOf(flag))],
  environment: (flag: FeatureFlag) => environmentsOf(flag).map(([name]) => name),
  /** By those alone that somebody has to define. */
  strategyType: (flag: FeatureFlag) =>
    environmentsOf(flag)
      .flatMap(([, environment]) => strategiesOf(environment).map(({ strategy }) => strategy.name))
      .filter((name) => !isBuiltIn(name)),
};

export const projectIndexes = {
  wireName,
  claimShard,
  environment: ({ spec }: Project) => spec.environments ?? [],
  member: ({ spec }: Project) => Object.keys(spec.members ?? {}),
  memberRole: ({ spec }: Project) => Object.values(spec.members ?? {}).flatMap((role) => role ?? []),
};

export const environmentIndexes = {
  wireName,
};

export const userIndexes = {
  wireName,
  id,
  /** By the name that Kubernetes has for it. */
  subject: subjectsOf,
  /** Case-folded. */
  email: (user: FlagUser) => [foldedEmail(user)].flatMap((email) => email ?? []),
  rootRole: ({ spec }: FlagUser) => [spec.rootRole].flatMap((role) => role ?? []),
};

export type UserIndex = keyof typeof userIndexes;

export const roleIndexes = {
  wireName,
  id,
  environment: ({ spec }: FlagRole) => (spec.permissions ?? []).flatMap(({ environment }) => environment ?? []),
};

export const tokenIndexes = {
  wireName,
  sha256: ({ status }: ApiToken) => [status?.sha256].flatMap((digest) => digest ?? []),
  user: ({ spec }: ApiToken) => [spec.user].flatMap((name) => name ?? []),
  project: ({ spec }: ApiToken) => spec.projects ?? [],
  environment: ({ spec }: ApiToken) => [spec.environment].flatMap((name) => name ?? []),
};

export const strategyIndexes = { wireName };
