/** Everything that an evaluation depends on besides the flag. */
import type { Context } from './context.ts';
import type { Evaluation } from './why.ts';

export interface Situation {
  readonly context: Context;
  /** Returns a number from 0 up to but excluding 1. */
  readonly random: () => number;
  /** The flags of the environment by name, in which parents are looked up. */
  readonly flags: Pick<ReadonlyMap<string, Parent>, 'get'>;
  /** Filled with the result of each parent, which is evaluated once for all of its children. */
  readonly parents: Map<Parent, Evaluation>;
}

export interface Parent {
  readonly hasParents: boolean;
  readonly evaluate: (situation: Situation) => Evaluation;
}
