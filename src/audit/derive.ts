/** What the step of an object between two of its versions amounts to (facts §4): no clock, no archive, nothing but the two. */
import { wireNameOf } from '../domain/names.ts';
import { type ApiToken, apiToken } from '../schema/api-token.ts';
import { environment } from '../schema/environment.ts';
import { featureFlag } from '../schema/feature-flag.ts';
import { flagRole } from '../schema/flag-role.ts';
import { flagUser } from '../schema/flag-user.ts';
import { project } from '../schema/project.ts';
import { strategyDefinition } from '../schema/strategy-definition.ts';
import { flagTelling } from './derive-flag.ts';
import { type Derive, deriveKind, type Lifecycle } from './derive-kind.ts';
import { projectTelling } from './derive-project.ts';
import type { Shapes } from './derive-shapes.ts';
import { strategyTypeTelling } from './derive-strategy-type.ts';
import { nowhere } from './derive-told.ts';

/** In the order in which facts §4.1 has them. */
export function createDerive(shapes: Shapes): Derive {
  const byResource = new Map([
    deriveKind(featureFlag, flagTelling(shapes)),
    deriveKind(project, projectTelling(shapes)),
    deriveKind(strategyDefinition, strategyTypeTelling(shapes)),
    deriveKind(environment, {
      types: () => lifecycles.environment,
      place: (object) => ({ ...nowhere, environment: wireNameOf(object) }),
      shape: shapes.environment,
    }),
    deriveKind(flagUser, { types: () => lifecycles.user, place: () => nowhere, shape: shapes.user }),
    deriveKind(flagRole, { types: () => lifecycles.role, place: () => nowhere, shape: shapes.role }),
    deriveKind(apiToken, {
      types: tokenLifecycle,
      // Of no project, even if it is for one: who may see the project may not see its tokens.
      place: ({ spec }) => ({ ...nowhere, environment: spec.environment ?? null }),
      shape: shapes.token,
      hidden: ['secretRef'],
    }),
  ]);
  return (step) => byResource.get(step.resource)?.(step) ?? [];
}

export function tokenLifecycle({ spec }: Pick<ApiToken, 'spec'>): Lifecycle {
  return spec.type === 'personal' ? lifecycles.personalToken : lifecycles.token;
}

export const lifecycles = {
  environment: { created: 'environment-created', updated: 'environment-updated', deleted: 'environment-deleted' },
  user: { created: 'user-created', updated: 'user-updated', deleted: 'user-deleted' },
  role: { created: 'role-created', updated: 'role-updated', deleted: 'role-deleted' },
  token: { created: 'api-token-created', updated: 'api-token-updated', deleted: 'api-token-deleted' },
  personalToken: { created: 'pat-created', updated: 'api-token-updated', deleted: 'pat-deleted' },
} as const satisfies Record<string, Lifecycle>;
