/** The explanation of an evaluation. */
import type { ClientConstraint, ClientDependency, ClientSegment, ClientVariant } from './client-document.ts';

/**
 * What decided: the flag is off, a parent does not have the wanted state, there are no strategies, one applies, or none
 * does.
 */
export type Decision = 'off' | 'dependency' | 'everyone' | 'strategy' | 'no-strategy';

export interface Evaluation {
  readonly enabled: boolean;
  /** Undefined if the flag is off or has no variants. SDKs then return a variant named `disabled`. */
  readonly variant: ClientVariant | undefined;
  readonly decision: Decision;
  /** The index of the strategy that applies, in the order of the flag; undefined if none does. */
  readonly strategy: number | undefined;
}

export interface Explanation extends Evaluation {
  readonly why: Why;
}

/** Filled during the evaluation, up to the part that decides. */
export interface Why {
  readonly dependencies: DependencyResult[];
  /** The results in order. The last strategy applies, if any does. */
  readonly strategies: StrategyResult[];
  /** How the variant was chosen. */
  variant?: VariantResult;
}

export interface DependencyResult {
  readonly dependency: ClientDependency;
  /** Undefined if there is no such flag, or it has parents itself. */
  readonly parent: Evaluation | undefined;
  readonly problem: string | undefined;
  readonly holds: boolean;
}

export interface StrategyResult extends RuleResult {
  readonly key: string;
  readonly name: string;
  readonly constraints: ConstraintResult[];
  holds: boolean;
}

export interface ConstraintResult {
  readonly constraint: ClientConstraint;
  /** The segment that the constraint belongs to, if any. */
  readonly segment: Pick<ClientSegment, 'id' | 'name'> | undefined;
  /** The value in the context. */
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly holds: boolean;
}

/** What the rule of a strategy type evaluated. */
export interface RuleResult {
  /** The bucket that is compared with `limit`: the strategy applies up to it. */
  bucket?: BucketResult;
  limit?: number;
  problem?: string;
}

export interface VariantResult {
  /** The bucket for the weights, from 1 to their sum. */
  bucket?: BucketResult;
  /** The context field whose value chose the variant. */
  override?: string;
}

export interface BucketResult {
  readonly stickiness: string;
  readonly group: string;
  /** The context field whose value was hashed; undefined if none of them is present. */
  readonly field: string | undefined;
  readonly id: string | undefined;
  /** Undefined if there is no number because of a missing id. Without a field, the number is random. */
  readonly number: number | undefined;
  /** The highest possible number. */
  readonly of: number;
}
