/** The query parameters of the API for the evaluation of a flag. */

interface EvaluationQuery {
  readonly context: Readonly<Record<string, string>>;
  readonly environment?: string | undefined;
  /** RFC 3339; undefined means now. */
  readonly at?: string | undefined;
}

/** A property of the context may also be named `at`, like the parameter for the time. */
export function evaluationQuery({ context: { at: property, ...context }, environment, at }: EvaluationQuery) {
  return { ...context, ...(property !== undefined && { 'properties[at]': property }), environment, at };
}
