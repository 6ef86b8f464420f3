/** Reads the file of `vexil test`, which contains the expected values of flags for contexts. */
import { z } from 'zod';
import type { ErrorDetail } from '../../src/errors.ts';
import { isRefusal } from '../../src/errors.ts';
import { pointInTime } from '../../src/schema/fields/shapes.ts';
import { parse } from '../../src/wire/parse-input.ts';
import { InputError } from '../failure.ts';
import { isUnreadable, type ParsedDocument, parseDocuments } from '../manifests/documents.ts';
import { type Place, placeText } from '../manifests/place.ts';
import type { Source } from '../manifests/source.ts';

/** Keeps the report short enough for people; a case takes microseconds. */
const MAX_CASES = 10_000;

const caseShape = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  flag: z.string().min(1).max(100),
  environment: z.string().min(1).max(100),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  at: pointInTime('The time of the evaluation.').optional(),
  enabled: z.boolean(),
  variant: z.string().min(1).max(100).optional(),
});

const casesFile = z.strictObject({ cases: z.array(caseShape).max(MAX_CASES) });

export interface TestCase extends z.output<typeof caseShape> {
  readonly place: Place;
}

/** Throws an InputError that lists all errors with their places. */
export function readCases(source: Source): readonly TestCase[] {
  return parseDocuments(source, 'core').flatMap((document) => {
    if (isUnreadable(document))
      throw new InputError(`cannot read the cases\n${placeText(document.place)}: ${document.message}`);
    return casesIn(document);
  });
}

function casesIn({ value, placeOf }: ParsedDocument): readonly TestCase[] {
  try {
    const { cases } = parse(casesFile, value, 'document');
    return cases.map((one, index) => ({ ...one, place: placeOf(['cases', `${index}`]) }));
  } catch (error) {
    if (!isRefusal(error, 'invalid')) throw error;
    const lines = error.details.map((detail) => complaintLine(detail, placeOf));
    throw new InputError(`cannot read the cases\n${lines.join('\n')}`);
  }
}

function complaintLine(detail: ErrorDetail, placeOf: ParsedDocument['placeOf']): string {
  if (!('complaint' in detail)) return detail.message;
  const { keys, complaint, value } = detail;
  return `${placeText(placeOf(keys))}: ${keys.join('.') || 'the file'} ${complaint}${value === undefined ? '' : ` It is ${value}.`}`;
}
