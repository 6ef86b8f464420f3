/** Everything that an evaluation depends on besides the flag. */
import type { Context } from './context.ts';
import type { Evaluation } from './why.ts';

export interface Situation {
  readonly context: Context;
  /** A number from 0 up to and without 1. */
  readonly random: () => number;
  /** All flags of the environment, by name: where parents are found. */
  readonly flags: ReadonlyMap<string, Parent>;
}

interface Parent {
  readonly hasParents: boolean;
  readonly evaluate: (situation: Situation) => Evaluation;
}
