/** Reads input against a schema; what does not fit is told with its place and its value. */
import type { z } from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';

const LONGEST_VALUE = 100;
const MOST_DETAILS = 20;

const preamble = 'Request validation failed: your request body or params contain invalid data';

/** `part` is where the input stood in the request: body, params, query. */
export function parse<T>(schema: z.ZodType<T>, input: unknown, part: 'body' | 'params' | 'query'): T {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw invalid(result.error.issues.slice(0, MOST_DETAILS).map((issue) => describe(issue, part)));
}

/** The specification wants the property and the value in the message itself. */
function invalid(details: readonly ErrorDetail[]): AppError {
  return new AppError('invalid', `${preamble}: ${details.map(({ message }) => message).join(' ')}`, { details });
}

function describe(issue: z.core.$ZodIssue, part: string): ErrorDetail {
  const keys = issue.path.map(String);
  const property = keys.length > 0 ? `The \`${keys.join('.')}\` property` : `The ${part}`;
  return { path: ['', part, ...keys].join('/'), message: `${property} ${complaint(issue)}` };
}

function complaint(issue: z.core.$ZodIssue): string {
  const sent = `You sent ${shown(issue.input)}.`;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required. It was not present on the data you sent.';
      return `must be ${issue.expected}. ${sent}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}. ${sent}`;
    case 'unrecognized_keys':
      return `has unknown properties: ${issue.keys.join(', ')}. Remove them.`;
    case 'too_big':
      return `must not be larger than ${issue.maximum} (${issue.origin}). ${sent}`;
    case 'too_small':
      return `must not be smaller than ${issue.minimum} (${issue.origin}). ${sent}`;
    default:
      return `${issue.message}. ${sent}`;
  }
}

/** A value as JSON, cut where it gets long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}
