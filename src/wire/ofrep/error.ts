/** The members of OFREP in the body of an error. */
import type { z } from 'zod';
import type { KnownError } from '../../errors.ts';
import type { ofrepErrorMembers } from './shapes.ts';

type Members = z.infer<typeof ofrepErrorMembers>;

/** `key` is the name of the flag in the path, if there is one. */
export function ofrepMembersFor(key: string | undefined) {
  return (error: KnownError | undefined, errorDetails: string): Members => ({
    ...(key !== undefined && { key }),
    errorCode: codeOf(error),
    errorDetails,
  });
}

function codeOf(error: KnownError | undefined): Members['errorCode'] {
  switch (error?.code) {
    case 'not-found':
      return 'FLAG_NOT_FOUND';
    case 'invalid':
      return error.details.some((detail) => 'keys' in detail && detail.keys[0] === 'context')
        ? 'INVALID_CONTEXT'
        : 'PARSE_ERROR';
    case 'too-large':
    case 'unsupported-media-type':
      return 'PARSE_ERROR';
    default:
      return 'GENERAL';
  }
}
