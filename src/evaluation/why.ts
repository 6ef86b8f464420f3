/** The explanation of an evaluation. */
import type { ClientConstraint, ClientDependency, ClientSegment, ClientVariant } from './client-document.ts';

/** What decided: the flag is off, a parent is not as wanted, there are no strategies, one applies, or none does. */
export type Decision = 'off' | 'dependency' | 'everyone' | 'strategy' | 'no-strategy';

export interface Evaluation {
  readonly enabled: boolean;
  /** Undefined: the flag is off or has no variants. SDKs then answer a variant named `disabled`. */
  readonly variant: ClientVariant | undefined;
  readonly decision: Decision;
  /** The place of the strategy that applies, in the order of the flag; undefined: none does. */
  readonly strategy: number | undefined;
}

export interface Explanation extends Evaluation {
  readonly why: Why;
}

/** Filled while the flag is evaluated, up to the part that decides. */
export interface Why {
  readonly dependencies: DependencyResult[];
  /** In order. The last one applies, if any does. */
  readonly strategies: StrategyResult[];
  /** How the variant was chosen. */
  variant?: VariantResult;
}

export interface DependencyResult {
  readonly dependency: ClientDependency;
  /** Undefined: there is no such flag, or it has parents itself. */
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
  /** The segment that it belongs to, if any. */
  readonly segment: Pick<ClientSegment, 'id' | 'name'> | undefined;
  /** What the context has. */
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly holds: boolean;
}

/** What the rule of a strategy type saw. */
export interface RuleResult {
  /** Compared with `limit`: the strategy applies up to it. */
  bucket?: BucketResult;
  limit?: number;
  problem?: string;
}

export interface VariantResult {
  /** Of weights, from 1 to their sum. */
  bucket?: BucketResult;
  /** The context field whose value chose the variant. */
  override?: string;
}

export interface BucketResult {
  readonly stickiness: string;
  readonly group: string;
  /** The context field whose value was hashed; undefined: none of them is there. */
  readonly field: string | undefined;
  readonly id: string | undefined;
  /** Undefined: without an id there is none. Without a field the number is random. */
  readonly number: number | undefined;
  /** The highest possible one. */
  readonly of: number;
}
