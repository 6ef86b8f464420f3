/** The document of `GET /api/client/features`, which SDKs evaluate and the evaluator here compiles. */

/** As the evaluator needs it; documents from servers have more. */
export interface FlagDocument {
  readonly features: readonly ClientFeature[];
  readonly segments: readonly ClientSegment[];
}

export interface ClientFeature {
  readonly name: string;
  readonly type: string;
  /** Whether the flag is in effect in the environment, not its bare switch. */
  readonly enabled: boolean;
  readonly project: string;
  readonly stale: boolean;
  readonly impressionData: boolean;
  readonly description: string | null;
  readonly strategies: readonly ClientStrategy[];
  readonly variants: readonly ClientVariant[];
  readonly dependencies?: readonly ClientDependency[];
}

export interface ClientStrategy {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly constraints: readonly ClientConstraint[];
  readonly variants: readonly ClientVariant[];
  /** Ids of segments. */
  readonly segments?: readonly number[];
}

export interface ClientConstraint {
  readonly contextName: string;
  readonly operator: string;
  /** Always present: SDKs call functions of lists on it. */
  readonly values: readonly string[];
  /** For operators that take a single value. */
  readonly value?: string;
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}

export interface ClientVariant {
  readonly name: string;
  readonly weight: number;
  readonly weightType?: 'fix' | 'variable';
  readonly stickiness?: string;
  readonly payload?: ClientPayload;
  /** Only for variants of the flag. */
  readonly overrides?: readonly ClientOverride[];
}

export interface ClientPayload {
  readonly type: string;
  /** Always a string: a number or a list makes Yggdrasil reject the whole document. */
  readonly value: string;
}

export interface ClientOverride {
  readonly contextName: string;
  readonly values: readonly string[];
}

export interface ClientSegment {
  readonly id: number;
  readonly name?: string;
  readonly constraints: readonly ClientConstraint[];
}

/** A parent flag that must have the wanted state before the flag can be on. */
export interface ClientDependency {
  readonly feature: string;
  /** Absent: the parent must be on. */
  readonly enabled?: boolean;
  /** Which variants of the parent count; absent or empty: any. */
  readonly variants?: readonly string[];
}
