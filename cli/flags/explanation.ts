/** Explains a flag from its object in the cluster, with the evaluation if a server was asked. */
import { brokenByStatus, enabledAt } from '../../src/domain/flag/effect.ts';
import { environmentsOf, isArchived, projectIdOf, strategiesOf } from '../../src/domain/flag/flag-values.ts';
import { judgeMomentsIn } from '../../src/domain/flag/judge/judge-moments.ts';
import { momentsOf, pausesIn, timesIn } from '../../src/domain/flag/moments.ts';
import { stampedAuthorOf } from '../../src/domain/identity/author.ts';
import { wireNameOf } from '../../src/domain/identity/names.ts';
import { ownersAt } from '../../src/kube/write/field-owners.ts';
import type { IsProtected } from '../../src/kube/write/match-protected-managers.ts';
import type { ProtectableOwner } from '../../src/model/field-owner.ts';
import { keyOf } from '../../src/model/object.ts';
import type { Problem } from '../../src/schema/condition.ts';
import type { Environment } from '../../src/schema/environment.ts';
import type { FeatureFlag, FlagEnvironment } from '../../src/schema/feature-flag.ts';
import { stampKeys } from '../../src/schema/stamp.ts';
import type { WireFieldOrigin } from '../../src/wire/playground/field-origin.ts';
import type { WireEvaluation } from '../../src/wire/playground/playground.ts';
import { commitAt, type FlagSource } from './flag-source.ts';

/** Adds the window, the ramps by the key of their strategy, and the next change, in the form of the status. */
interface EnvironmentExplanation extends ReturnType<typeof judgeMomentsIn> {
  readonly name: string;
  /** Whether the switch is on. */
  readonly asked: boolean;
  /** Whether the flag is on: now as its status says, at another time as its spec and its problems imply. */
  readonly inEffect: boolean;
  readonly strategies: number;
  /** The window, as the spec has it. */
  readonly activeFrom?: string;
  readonly activeUntil?: string;
  readonly switchOwners: readonly ProtectableOwner[];
}

export interface Explanation {
  readonly name: string;
  readonly project: string;
  readonly object: string;
  /** RFC 3339; absent means now. */
  readonly at?: string;
  readonly archived: boolean;
  /** Whether the operator has judged the present spec. */
  readonly judged: boolean;
  readonly changedBy?: string;
  /** Why, in the words of the author. */
  readonly changedBecause?: string;
  readonly lastSeenAt?: string;
  readonly source?: FlagSource;
  readonly environments: readonly EnvironmentExplanation[];
  readonly problems: readonly Problem[];
  /** The evaluation for the requested context; absent if no server was asked. */
  readonly evaluation?: ExplainedEvaluation;
}

/** A field that decided, with the commit of its last change if a GitOps tool owns the field and records its commits. */
export type ExplainedField = WireFieldOrigin & { readonly commit: string | null };

export interface ExplainedEvaluation extends Omit<WireEvaluation, 'why'> {
  readonly why: Omit<WireEvaluation['why'], 'fields'> & { readonly fields: readonly ExplainedField[] | null };
}

export function withCommits(evaluation: WireEvaluation, source: FlagSource | undefined): ExplainedEvaluation {
  const { why } = evaluation;
  const fields = why.fields?.map((field) => ({ ...field, commit: commitOf(field, source) ?? null })) ?? null;
  return { ...evaluation, why: { ...why, fields } };
}

function commitOf({ kind, owner, lastChange }: WireFieldOrigin, source: FlagSource | undefined): string | undefined {
  const isOfSource = kind === 'FeatureFlag' && owner?.kind === 'git';
  return source && lastChange && isOfSource ? commitAt(source, lastChange.at) : undefined;
}

interface ExplanationContext {
  readonly source: FlagSource | undefined;
  /** The Environments of the flag that are known, by wire name; their freezes may pause ramps. */
  readonly environments: ReadonlyMap<string, Environment>;
  /** Ms since 1970. */
  readonly at: number;
  readonly isNow: boolean;
  readonly isProtected: IsProtected;
}

/** Whether the plan is read from the status, which considers freezes; otherwise the plan is computed. */
export function isPlanInStatus({ metadata, status }: FeatureFlag, isNow: boolean): boolean {
  return isNow && status?.observedGeneration === metadata.generation;
}

/** The reason of an earlier change says nothing about the present spec. */
function becauseOf(metadata: FeatureFlag['metadata']): Pick<Explanation, 'changedBecause'> {
  const reason = metadata.annotations?.[stampKeys.reason];
  return reason === undefined || stampedAuthorOf(metadata) === undefined ? {} : { changedBecause: reason };
}

/** Returns the explanation without the evaluation. */
export function explanationOf(flag: FeatureFlag, around: ExplanationContext): Explanation {
  const { source, environments, at, isNow, isProtected } = around;
  const { metadata, status } = flag;
  const moments = momentsOf(flag, timesIn(environments));
  // The problems in the status include those that other objects cause.
  const broken = brokenByStatus(flag);
  const enabledThen = enabledAt(flag, broken, at).enabledIn;
  return {
    name: wireNameOf(flag),
    project: projectIdOf(flag),
    object: keyOf(metadata),
    ...(!isNow && { at: new Date(at).toISOString() }),
    archived: isArchived(flag),
    judged: status?.observedGeneration === metadata.generation,
    ...(status?.changedBy !== undefined && { changedBy: status.changedBy }),
    ...becauseOf(metadata),
    ...(status?.lastSeenAt !== undefined && { lastSeenAt: status.lastSeenAt }),
    ...(source && { source }),
    environments: environmentsOf(flag).map(([name, environment]) => ({
      name,
      asked: environment.enabled === true,
      inEffect: isNow ? status?.environments?.[name]?.enabled === true : enabledThen.has(name),
      strategies: strategiesOf(environment).length,
      ...windowOf(environment),
      ...(isPlanInStatus(flag, isNow)
        ? plannedIn(flag, name)
        : judgeMomentsIn(name, environment, { moments, broken, at, pauses: pausesIn(environments)(name) })),
      switchOwners: ownersAt(flag, ['f:environments', `f:${name}`, 'f:enabled'], isProtected),
    })),
    problems: status?.problems ?? [],
  };
}

function windowOf({ activeFrom, activeUntil }: FlagEnvironment) {
  return { ...(activeFrom !== undefined && { activeFrom }), ...(activeUntil !== undefined && { activeUntil }) };
}

/** Returns the plan of the operator, which considers the freezes of the environment. */
function plannedIn({ status }: FeatureFlag, environment: string): ReturnType<typeof judgeMomentsIn> {
  const { window, nextChangeAt, ramps } = status?.environments?.[environment] ?? {};
  return { ...(window && { window }), ...(nextChangeAt && { nextChangeAt }), ...(ramps && { ramps }) };
}
