/** The flags of a document, compiled for evaluation as SDKs evaluate them. */
import type { ClientFeature, FlagDocument } from '../client-document.ts';
import { type CompiledFlag, compileFlag } from '../compile.ts';
import { readContext, type Situation } from '../context.ts';
import { hashAfter } from '../murmur-hash.ts';
import { compileSegments } from '../strategy.ts';
import type { Evaluation, Explanation } from '../why.ts';

/** The context of one user: values by the name of the field, also of fields that are properties on the wire. */
export type FieldsOfContext = Readonly<Record<string, string>>;

export interface Evaluated extends Evaluation {
  /** Whether chance decided: then no two evaluations need be the same. */
  readonly isRandom: boolean;
}

export interface DocumentFlags {
  readonly environment: string;
  readonly names: readonly string[];
  feature(name: string): ClientFeature | undefined;
  /** Undefined if the document does not have the flag. */
  evaluate(name: string, context: FieldsOfContext): Evaluated | undefined;
  explain(name: string, context: FieldsOfContext): Explanation | undefined;
  /** For evaluations of flags that are not in the document. */
  situation(context: FieldsOfContext): Situation;
}

/** `at` is the time of contexts without one, in ms since 1970. */
export function documentFlags(document: FlagDocument, environment: string, at: number): DocumentFlags {
  const segments = compileSegments(document.segments);
  const flags = new Map(document.features.map((feature) => [feature.name, compileFlag(feature, { segments })]));
  const situationOf = (context: FieldsOfContext, random: () => number): Situation => ({
    context: readContext({ ...context, environment }, at),
    random,
    flags,
    parents: new Map(),
  });
  const evaluateWith = <T>(
    name: string,
    context: FieldsOfContext,
    use: (flag: CompiledFlag, situation: Situation) => T,
  ) => {
    const flag = flags.get(name);
    if (!flag) return undefined;
    let isRandom = false;
    const chance = chanceOf(context);
    const random = () => {
      isRandom = true;
      return chance();
    };
    const result = use(flag, situationOf(context, random));
    return { ...result, isRandom };
  };
  return {
    environment,
    names: [...flags.keys()].sort(),
    feature: (name) => flags.get(name)?.feature,
    evaluate: (name, context) => evaluateWith(name, context, (flag, situation) => flag.evaluate(situation)),
    explain: (name, context) => evaluateWith(name, context, (flag, situation) => flag.explain(situation)),
    situation: (context) => situationOf(context, chanceOf(context)),
  };
}

/** Numbers that are the same for the same context, so that two documents can be compared where chance decides. */
function chanceOf(context: FieldsOfContext): () => number {
  let count = 0;
  return () => {
    count += 1;
    return hashOfContext(`${count}:${JSON.stringify(context)}`) / 2 ** 32;
  };
}

const hashOfContext = hashAfter('', 0);
