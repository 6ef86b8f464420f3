/** Evaluations as text and as JSON. */

import type { ExplainedFlag } from '../../src/wire/playground/explained-flag.ts';
import { presentEvaluation } from '../../src/wire/playground/playground.ts';

export type Evaluation = ReturnType<typeof presentEvaluation>;

/** In the shape of the answer of the API to the same question. Files have no holders of fields. */
export function present(explained: ExplainedFlag, context: Readonly<Record<string, unknown>>): Evaluation {
  const { environment } = explained;
  return presentEvaluation(explained, { ...context, environment }, { readsSegment: () => true, fields: null });
}

export function evaluationText({ project, feature, environment, variant, why }: Evaluation): string {
  const { enabled, name, payload } = variant;
  const value = payload ? ` (${payload.type} ${payload.value})` : '';
  const chosen = enabled ? `\n  variant ${name}${value}` : '';
  return `${project}/${feature} in ${environment}: ${why.text}${chosen}\n`;
}
