/** Reads input against a schema; what does not fit is told with its place and its value. */
import type { z } from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';

const LONGEST_VALUE = 100;
export const MOST_DETAILS = 20;

const preamble = 'Request validation failed: your request body or params contain invalid data';

/** `part` is where the input stood in the request: body, params, query. */
export function parse<T>(schema: z.ZodType<T>, input: unknown, part: 'body' | 'params' | 'query'): T {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw refusalOfIssues(result.error.issues, part);
}

export function refusalOfIssues(issues: readonly z.core.$ZodIssue[], part: string): AppError {
  return invalid(issues.slice(0, MOST_DETAILS).map((issue) => describe(issue, part)));
}

/** The specification wants the property and the value in the message itself. */
export function invalid(details: readonly ErrorDetail[]): AppError {
  return new AppError('invalid', `${preamble}: ${details.map(({ message }) => message).join(' ')}`, { details });
}

function describe(issue: z.core.$ZodIssue, part: string): ErrorDetail {
  return about(part, issue.path.map(String), complaint(issue));
}

/** What is wrong with a part of the request. */
export function about(part: string, keys: readonly string[], complaint: string): ErrorDetail {
  const property = keys.length > 0 ? `The \`${keys.join('.')}\` property` : `The ${part}`;
  return { path: ['', part, ...keys].join('/'), message: `${property} ${complaint}` };
}

function complaint(issue: z.core.$ZodIssue): string {
  const value = inputOf(issue);
  if (value === undefined) return 'is required. It was not present on the data you sent.';
  const sent = `You sent ${shown(value)}.`;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${issue.expected}. ${sent}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}. ${sent}`;
    case 'invalid_union':
      return `${expectedBy(issue)}. ${sent}`;
    case 'unrecognized_keys':
      return `has unknown properties: ${issue.keys.join(', ')}. Remove them. ${sent}`;
    case 'custom':
      return `is not valid: ${issue.message}. ${sent}`;
    case 'too_big':
      if (Array.isArray(value)) return `must not have more than ${issue.maximum} entries. You sent ${value.length}.`;
      return `must not be larger than ${issue.maximum} (${issue.origin}). ${sent}`;
    case 'too_small':
      return `must not be smaller than ${issue.minimum} (${issue.origin}). ${sent}`;
    default:
      return `${issue.message}. ${sent}`;
  }
}

/** Where a discriminator fits no option, zod reports the object that it stands in. */
function inputOf(issue: z.core.$ZodIssue): unknown {
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return issue.input;
  return (issue.input as Readonly<Record<string, unknown>>)[issue.discriminator];
}

/** What zod says of a union that has no words of its own. */
const NO_WORDS = 'Invalid input';

function expectedBy(issue: z.core.$ZodIssueInvalidUnion): string {
  if (issue.message !== NO_WORDS) return issue.message;
  const options = 'options' in issue && issue.options ? issue.options : [];
  if (options.length > 0) return `must be one of ${options.map(String).join(', ')}`;
  const expected = issue.errors.flat().flatMap((one) => (one.code === 'invalid_type' ? one.expected : []));
  return `must be ${expected.length > 0 ? expected.join(' or ') : 'something else'}`;
}

/** A value as JSON, cut where it gets long. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}

/** Of a document that people have in a file: items of lists are named as people write them, `features[0].name`. */
export function inBrackets(error: AppError): AppError {
  const details = error.details.map(({ path, message }) => {
    const named = message.replace(
      /^The `([^`]*)` property/,
      (_, keys: string) => `The \`${bracketed(keys)}\` property`,
    );
    return { ...(path !== undefined && { path }), message: named };
  });
  return new AppError(error.code, invalid(details).message, { details, cause: error.cause });
}

function bracketed(keys: string): string {
  return keys.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
}
