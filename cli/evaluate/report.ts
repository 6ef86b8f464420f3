/** Evaluations as text and as JSON. */

import type { ExplainedFlag } from '../../src/wire/playground/explained-flag.ts';
import { presentEvaluation, type WireEvaluation } from '../../src/wire/playground/playground.ts';
import { printableLines } from '../terminal.ts';

/** Returns an evaluation in the form of the API. It names no owners of fields, because files have none. */
export function present(explained: ExplainedFlag, context: Readonly<Record<string, unknown>>): WireEvaluation {
  const { environment } = explained;
  return presentEvaluation(explained, { ...context, environment }, { readsSegment: () => true, fields: null });
}

export function evaluationText({ project, feature, environment, variant, why }: WireEvaluation): string {
  const { enabled, name, payload } = variant;
  const value = payload ? ` (${payload.type} ${payload.value})` : '';
  const lines = [
    `${project}/${feature} in ${environment}: ${why.text}`,
    ...(enabled ? [`  variant ${name}${value}`] : []),
  ];
  return printableLines(lines);
}
