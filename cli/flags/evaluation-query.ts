/** The parameters with which the API is asked to evaluate a flag. */

interface Question {
  readonly context: Readonly<Record<string, string>>;
  readonly environment?: string | undefined;
  /** RFC 3339. Undefined: now. */
  readonly at?: string | undefined;
}

/** A property of the context may have the name of the parameter for the time. */
export function evaluationQuery({ context: { at: property, ...context }, environment, at }: Question) {
  return { ...context, ...(property !== undefined && { 'properties[at]': property }), environment, at };
}
