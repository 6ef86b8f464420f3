/**
 * Answers for one context as JSON: the bytes of a flag are made once for each result, and lists are joined from them.
 */
import { Refusal } from '../errors.ts';
import { type CompiledFlag, NO_VARIANT } from '../evaluation/compile.ts';
import { readContext } from '../evaluation/context.ts';
import type { Evaluation } from '../evaluation/why.ts';
import { memo } from '../model/memo.ts';
import { boundedTurns, inTurn, type Turn } from '../runtime/turns.ts';
import { presentToggle } from '../wire/client/toggle.ts';
import { ofrepAnswerText } from '../wire/ofrep/answer.ts';
import { joinTagged, type TaggedJson, tagJson } from '../wire/tagged-json.ts';
import type { Evaluations } from './evaluations.ts';
import type { Scope } from './flag-origin.ts';

/** The context and the environment for which flags are evaluated. */
export interface Question {
  readonly scope: Scope;
  readonly context: Readonly<Record<string, unknown>>;
  /** The turns of the request that asks. */
  readonly turn: Turn;
}

/** The answer for one flag, and what is counted of it. */
export interface FlagAnswer {
  readonly enabled: boolean;
  /** The name of the variant, as SDKs count it; undefined: the flag has no variants. */
  readonly variant: string | undefined;
  readonly json: TaggedJson;
}

/** A compiled flag is for one environment. */
type TextOf = (flag: CompiledFlag, evaluation: Evaluation, environment: string) => string;
type PieceOf = (...parts: Parameters<TextOf>) => TaggedJson;

/**
 * The longest time for the answer about all flags. Each flag is bounded by its budget, but a caller may see thousands.
 */
const MAX_ANSWER_MS = 10_000;

interface AnswersOf {
  /** Rejects with Refusal `busy` if it takes too long. */
  all(question: Question, isWanted?: (evaluation: Evaluation) => boolean): Promise<TaggedJson>;
  /** Undefined if the flag does not exist for the caller. */
  one(name: string, question: Question): Promise<FlagAnswer | undefined>;
}

export interface Answers {
  /** For browsers. */
  readonly toggles: AnswersOf;
  /** For OpenFeature providers. */
  readonly values: AnswersOf;
}

/** `now` gives ms since 1970. */
export function createAnswers(evaluations: Evaluations, now: () => number): Answers {
  const situationOf = ({ scope, context }: Question) => evaluations.situation(scope, readContext(context, now()));
  const answersWith = (list: string, pieceOf: PieceOf) => ({
    async all(question: Question, isWanted = (_: Evaluation) => true): Promise<TaggedJson> {
      const { scope } = question;
      const turn = boundedTurns(question.turn, { maxMs: MAX_ANSWER_MS, tooLong: () => tooLong(scope), now });
      await evaluations.prepare(scope, turn);
      const situation = situationOf(question);
      const joined = joinTagged();
      const add = (flag: CompiledFlag) => {
        const evaluation = flag.constant ?? flag.evaluate(situation);
        if (isWanted(evaluation)) joined.add(pieceOf(flag, evaluation, scope.environment));
      };
      for (const batch of batchesOf(evaluations.flags(scope), undefined)) {
        const wait = turn();
        if (wait !== undefined) await wait;
        batch.forEach(add);
      }
      return joined.asList(list);
    },

    one: (name: string, question: Question): Promise<FlagAnswer | undefined> =>
      inTurn(question.turn, () => {
        const { scope } = question;
        const flag = evaluations.flag(name, scope);
        if (!flag) return undefined;
        const evaluation = flag.evaluate(situationOf(question));
        return {
          enabled: evaluation.enabled,
          variant: countedVariant(flag, evaluation),
          json: pieceOf(flag, evaluation, scope.environment),
        };
      }),
  });
  return {
    toggles: answersWith(
      'toggles',
      onceForEachResult(({ feature }, evaluation) => JSON.stringify(presentToggle(feature, evaluation))),
    ),
    values: answersWith(
      'flags',
      onceForEachResult(({ feature }, evaluation, environment) => ofrepAnswerText(feature, evaluation, environment)),
    ),
  };
}

/**
 * The flags of one batch are evaluated without a look at the time between them. Comparing the longest value with one
 * text takes 10 µs.
 */
const MAX_BATCH_COST = 100;

/** A flag that costs more is alone. */
const batchesOf = memo((flags: readonly CompiledFlag[], _: undefined): readonly CompiledFlag[][] => {
  let batch: CompiledFlag[] = [];
  const batches = [batch];
  let cost = 0;
  for (const flag of flags) {
    cost += flag.cost;
    if (cost > MAX_BATCH_COST && batch.length > 0) {
      batch = [];
      batches.push(batch);
      cost = flag.cost;
    }
    batch.push(flag);
  }
  return batches;
});

function tooLong({ environment }: Scope): Refusal {
  const message = `the evaluation of all flags in "${environment}" takes longer than ${MAX_ANSWER_MS / 1000} s: ask for fewer projects or single flags, and look for flags with many patterns or long lists`;
  return new Refusal('busy', message, { retryAfterSeconds: 10 });
}

function countedVariant({ feature }: CompiledFlag, { variant }: Evaluation): string | undefined {
  if (variant) return variant.name;
  const hasVariants = feature.variants.length > 0 || feature.strategies.some(({ variants }) => variants.length > 0);
  return hasVariants ? NO_VARIANT : undefined;
}

function onceForEachResult(make: TextOf): PieceOf {
  const knownOf = memo((_flag: CompiledFlag, _: undefined) => new Map<Evaluation, TaggedJson>());
  return (flag, evaluation, environment) => {
    const known = knownOf(flag, undefined);
    const found = known.get(evaluation);
    if (found) return found;
    const piece = tagJson(make(flag, evaluation, environment));
    known.set(evaluation, piece);
    return piece;
  };
}
