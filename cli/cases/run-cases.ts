/** Compares the evaluations of flags with the expectations of cases. */

import type { WireEvaluation } from '../../src/wire/playground/playground.ts';
import { createEvaluator, type Evaluator } from '../evaluate/evaluator.ts';
import { present } from '../evaluate/report.ts';
import { InputError } from '../failure.ts';
import type { OfflineCluster } from '../lint/offline-cluster.ts';
import type { TestCase } from './read-cases.ts';

export interface CaseResult {
  readonly testCase: TestCase;
  /** Undefined if the flag is as expected. */
  readonly failure: string | undefined;
}

/** `time`, in ms since 1970, applies to cases that name no time. */
export function runCases(cases: readonly TestCase[], cluster: OfflineCluster, time: number): readonly CaseResult[] {
  // If chance decides, the lowest and the highest random number give different answers.
  const [lowest, highest] = [createEvaluator(cluster, () => 0), createEvaluator(cluster, () => 1 - Number.EPSILON)];
  return cases.map((testCase) => ({ testCase, failure: failureOf(testCase, [lowest, highest], time) }));
}

function failureOf(testCase: TestCase, evaluators: readonly [Evaluator, Evaluator], time: number): string | undefined {
  try {
    const [low, high] = evaluators.map((evaluator) => evaluate(testCase, evaluator, time));
    if (!low || !high) return undefined;
    if (answerOf(low) !== answerOf(high)) {
      return 'the answer is random: add the field of the stickiness to the context, such as userId or sessionId';
    }
    return isAsExpected(testCase, low)
      ? undefined
      : `expected ${wanted(testCase)}, but ${low.why.text}${variantText(low)}`;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

function evaluate({ flag, environment, context, at }: TestCase, evaluator: Evaluator, time: number): WireEvaluation {
  return present(
    evaluator.evaluate({ flag, environment, context, at: at === undefined ? time : Date.parse(at) }),
    context,
  );
}

function answerOf({ enabled, variant }: WireEvaluation): string {
  return `${enabled} ${variant.name}`;
}

function isAsExpected({ enabled, variant }: TestCase, evaluation: WireEvaluation): boolean {
  return evaluation.enabled === enabled && (variant === undefined || evaluation.variant.name === variant);
}

function wanted({ enabled, variant }: TestCase): string {
  return `${enabled ? 'on' : 'off'}${variant === undefined ? '' : ` with the variant "${variant}"`}`;
}

function variantText({ variant: { enabled, name } }: WireEvaluation): string {
  return enabled ? ` The variant is "${name}".` : '';
}
