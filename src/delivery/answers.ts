/**
 * Answers for one context as JSON text: the text of a flag is made once for each outcome, and lists are joined from
 * these texts.
 */

import { Refusal } from '../errors.ts';
import { type CompiledFlag, NO_VARIANT } from '../evaluation/compile.ts';
import { readContext } from '../evaluation/context.ts';
import type { Evaluation } from '../evaluation/why.ts';
import { memo } from '../model/memo.ts';
import { boundedTurns, collectInTurns, inTurn, type Turn } from '../runtime/turns.ts';
import { presentToggle } from '../wire/client/toggle.ts';
import { ofrepAnswerText } from '../wire/ofrep/answer.ts';
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
  readonly text: string;
}

type TextOf = (flag: CompiledFlag, evaluation: Evaluation, environment: string) => string;

interface AnswerChoice {
  readonly isWanted: (evaluation: Evaluation) => boolean;
  readonly textOf: TextOf;
}

/**
 * The longest time for the answer about all flags. Each flag is bounded by its budget, but a caller may see thousands.
 */
const MAX_ANSWER_MS = 10_000;

interface AnswersOf {
  /** Rejects with Refusal `busy` if it takes too long. */
  all(question: Question, isWanted?: (evaluation: Evaluation) => boolean): Promise<string>;
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
  /** Undefined for a flag that is not wanted: work on it takes its turn too. */
  function* textsOf(question: Question, { isWanted, textOf }: AnswerChoice): Iterable<string | undefined> {
    const { scope } = question;
    const situation = situationOf(question);
    for (const flag of evaluations.flags(scope)) {
      const evaluation = flag.evaluate(situation);
      yield isWanted(evaluation) ? textOf(flag, evaluation, scope.environment) : undefined;
    }
  }
  const answersWith = (list: string, textOf: TextOf) => ({
    async all(question: Question, isWanted = (_: Evaluation) => true): Promise<string> {
      const { scope } = question;
      const turn = boundedTurns(question.turn, { maxMs: MAX_ANSWER_MS, tooLong: () => tooLong(scope), now });
      await evaluations.prepare(scope, turn);
      const texts = await collectInTurns(textsOf(question, { isWanted, textOf }), turn);
      return `{"${list}":[${texts.filter((text) => text !== undefined).join(',')}]}`;
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
          text: textOf(flag, evaluation, scope.environment),
        };
      }),
  });
  return {
    toggles: answersWith(
      'toggles',
      onceForEachOutcome(({ feature }, evaluation) => JSON.stringify(presentToggle(feature, evaluation))),
    ),
    values: answersWith(
      'flags',
      onceForEachOutcome(({ feature }, evaluation, environment) => ofrepAnswerText(feature, evaluation, environment)),
    ),
  };
}

function tooLong({ environment }: Scope): Refusal {
  const message = `the evaluation of all flags in "${environment}" takes longer than ${MAX_ANSWER_MS / 1000} s: ask for fewer projects or single flags, and look for flags with many patterns or long lists`;
  return new Refusal('busy', message, { retryAfterSeconds: 10 });
}

function countedVariant({ feature }: CompiledFlag, { variant }: Evaluation): string | undefined {
  if (variant) return variant.name;
  const hasVariants = feature.variants.length > 0 || feature.strategies.some(({ variants }) => variants.length > 0);
  return hasVariants ? NO_VARIANT : undefined;
}

/** A flag has few outcomes, so a list of them is faster than a key. */
function onceForEachOutcome(make: TextOf): TextOf {
  const knownOf = memo((_flag: CompiledFlag, _: undefined): { of: Evaluation; text: string }[] => []);
  return (flag, evaluation, environment) => {
    const known = knownOf(flag, undefined);
    for (const { of, text } of known) if (isSameOutcome(of, evaluation)) return text;
    const text = make(flag, evaluation, environment);
    known.push({ of: evaluation, text });
    return text;
  };
}

/** Compares what the text of a flag depends on; a compiled flag is for one environment. */
function isSameOutcome(one: Evaluation, other: Evaluation): boolean {
  return (
    one.enabled === other.enabled &&
    one.variant === other.variant &&
    one.strategy === other.strategy &&
    one.decision === other.decision
  );
}
