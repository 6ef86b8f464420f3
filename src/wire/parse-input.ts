/** Parses input against a schema; each error names the property and the value. */
import type { z } from 'zod';
import type { Refusal, RequestPart } from '../errors.ts';
import { invalid, MAX_DETAILS, MISSING, quoteValue } from '../model/invalid-input.ts';

/** `part` is the part of the request that contains the input. */
export function parse<T>(schema: z.ZodType<T>, input: unknown, part: RequestPart): T {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw refusalOfIssues(result.error.issues, part);
}

export function refusalOfIssues(issues: readonly z.core.$ZodIssue[], part: RequestPart): Refusal {
  return invalid(
    issues.slice(0, MAX_DETAILS).map((issue) => ({ part, keys: issue.path.map(String), ...complaintOf(issue) })),
  );
}

function complaintOf(issue: z.core.$ZodIssue): { readonly complaint: string; readonly value?: string } {
  const value = inputOf(issue);
  if (value === undefined) return MISSING;
  if (issue.code === 'too_big' && Array.isArray(value)) {
    return { complaint: `must not have more than ${issue.maximum} entries.`, value: `${value.length}` };
  }
  return { complaint: `${ruleOf(issue)}.`, value: quoteValue(value) };
}

function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return expectedBy(issue);
    case 'unrecognized_keys':
      return `has unknown properties: ${issue.keys.join(', ')}. Remove them`;
    case 'custom':
      return `is not valid: ${issue.message}`;
    case 'too_big':
      return `must not be larger than ${issue.maximum} (${issue.origin})`;
    case 'too_small':
      return `must not be smaller than ${issue.minimum} (${issue.origin})`;
    default:
      return predicateIn(issue.message);
  }
}

/** The messages of zod, unlike those of our schemas, do not follow the name of a property. */
function predicateIn(message: string): string {
  return message.replace(/^Invalid \w+: (?=must )/, '').replace(/^Invalid /, 'must be a valid ');
}

/** For unknown properties, and a discriminator that matches no option, zod reports the object that contains them. */
function inputOf(issue: z.core.$ZodIssue): unknown {
  if (issue.code === 'unrecognized_keys')
    return Object.fromEntries(issue.keys.map((key) => [key, issue.input?.[key] ?? null]));
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return issue.input;
  return (issue.input as Readonly<Record<string, unknown>>)[issue.discriminator];
}

/** The message of zod for a union without its own message. */
const NO_WORDS = 'Invalid input';

function expectedBy(issue: z.core.$ZodIssueInvalidUnion): string {
  const options = 'options' in issue && issue.options ? issue.options : [];
  if (options.length > 0) return `must be one of ${options.map(String).join(', ')}`;
  if (issue.message !== NO_WORDS) return predicateIn(issue.message);
  const expected = issue.errors.flat().flatMap((one) => (one.code === 'invalid_type' ? one.expected : []));
  return `must be ${expected.length > 0 ? expected.join(' or ') : 'something else'}`;
}
