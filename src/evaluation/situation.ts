/** Everything that an evaluation depends on besides the flag. */
import type { Context } from './context.ts';
import type { Evaluation } from './why.ts';

export interface Situation {
  readonly context: Context;
  /** A number from 0 up to and without 1. */
  readonly random: () => number;
  /** The flags of the environment, by name: where parents are found. */
  readonly flags: Pick<ReadonlyMap<string, Parent>, 'get'>;
}

interface Parent {
  readonly hasParents: boolean;
  readonly evaluate: (situation: Situation) => Evaluation;
}
