/** How things look on the wire: told to the derivation by whoever knows the wire. */
import type { StrategyPlace } from '../domain/strategy-id.ts';
import type { ApiToken } from '../schema/api-token.ts';
import type { Environment } from '../schema/environment.ts';
import type { FeatureFlag } from '../schema/feature-flag.ts';
import type { FlagRole } from '../schema/flag-role.ts';
import type { FlagUser } from '../schema/flag-user.ts';
import type { Project } from '../schema/project.ts';
import type { Strategy } from '../schema/strategy.ts';
import type { StrategyDefinition } from '../schema/strategy-definition.ts';
import type { Variant } from '../schema/variant.ts';
import type { Json, JsonObject, Tag } from './entry.ts';

export interface Shapes {
  readonly feature: (flag: FeatureFlag) => JsonObject;
  /** With its id and its `sortOrder`. */
  readonly strategy: (place: StrategyPlace, strategy: Strategy) => JsonObject;
  readonly variants: (variants: readonly Variant[]) => readonly Json[];
  /** From `type:value`. */
  readonly tag: (tag: string) => Tag;
  /** With `environments`: null where the project lists none. */
  readonly project: (project: Project) => JsonObject;
  /** By the names that the project says; there need be no such user or role. */
  readonly member: (username: string, roleName: string) => JsonObject;
  /** With the clone that it asks for, if it does. */
  readonly environment: (environment: Environment) => JsonObject;
  readonly user: (user: FlagUser) => JsonObject;
  readonly role: (role: FlagRole) => JsonObject;
  /** Never the value, nor where it is. */
  readonly token: (token: ApiToken) => JsonObject;
  /** With its `name` and whether it is `deprecated`. */
  readonly strategyType: (definition: StrategyDefinition) => JsonObject;
}
