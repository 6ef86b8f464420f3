/** The flags of a document, compiled for evaluation as SDKs evaluate them. */
import type { ClientFeature } from '../../src/evaluation/client-document.ts';
import { type CompiledFlag, compileFlag } from '../../src/evaluation/compile.ts';
import { readContext, type Situation } from '../../src/evaluation/context.ts';
import { compileSegments } from '../../src/evaluation/strategy.ts';
import type { Evaluation, Explanation } from '../../src/evaluation/why.ts';
import type { ClientDocument } from '../../src/wire/client/read-document.ts';
import type { ComparedContext } from './compared-context.ts';

export interface Evaluated extends Evaluation {
  /** Whether chance decided: then no two evaluations need be the same. */
  readonly isRandom: boolean;
}

export interface DocumentFlags {
  readonly environment: string;
  readonly names: readonly string[];
  feature(name: string): ClientFeature | undefined;
  /** Undefined if the document does not have the flag. */
  evaluate(name: string, context: ComparedContext): Evaluated | undefined;
  explain(name: string, context: ComparedContext): Explanation | undefined;
}

/** `at` is the time of contexts without one, in ms since 1970. */
export function flagsOf(document: ClientDocument, environment: string, at: number): DocumentFlags {
  const segments = compileSegments(document.segments);
  const flags = new Map(document.features.map((feature) => [feature.name, compileFlag(feature, { segments })]));
  const evaluateWith = <T>(
    name: string,
    context: ComparedContext,
    use: (flag: CompiledFlag, situation: Situation) => T,
  ) => {
    const flag = flags.get(name);
    if (!flag) return undefined;
    let isRandom = false;
    const random = () => {
      isRandom = true;
      return 0.5;
    };
    const situation = { context: readContext({ ...context, environment }, at), random, flags, parents: new Map() };
    const result = use(flag, situation);
    return { ...result, isRandom };
  };
  return {
    environment,
    names: [...flags.keys()].sort(),
    feature: (name) => flags.get(name)?.feature,
    evaluate: (name, context) => evaluateWith(name, context, (flag, situation) => flag.evaluate(situation)),
    explain: (name, context) => evaluateWith(name, context, (flag, situation) => flag.explain(situation)),
  };
}
