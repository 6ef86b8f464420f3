import { expect, test } from 'vitest';
import { isClusterError } from '../../../../src/errors.ts';
import { failedConnection, isVersionTooLarge, refusedCall, refusedWatch } from '../../../../src/kube/api/errors.ts';

test.each([
  [404, 'NotFound', 'not-found'],
  [409, 'AlreadyExists', 'name-taken'],
  [409, 'Conflict', 'conflict'],
  [410, 'Expired', 'gone'],
  [422, 'Invalid', 'invalid'],
  [400, 'BadRequest', 'invalid'],
  [403, 'Forbidden', 'forbidden'],
  [401, 'Unauthorized', 'unavailable'],
  [413, 'RequestEntityTooLarge', 'too-large'],
  [429, 'TooManyRequests', 'unavailable'],
  [500, 'InternalError', 'unavailable'],
  [503, 'ServiceUnavailable', 'unavailable'],
  [504, 'Timeout', 'unavailable'],
  [302, undefined, 'unavailable'],
  [415, 'UnsupportedMediaType', 'internal'],
] as const)('status %i with reason %s is %s', (status, reason, want) => {
  expect(refusedCall({ action: 'GET /', status, body: { reason, message: 'm' } }).code).toBe(want);
});

test('the causes of a 422 are details, except the empty one', () => {
  const causes = [
    { reason: 'FieldValueInvalid', field: 'spec.a', message: 'too long' },
    { reason: 'FieldValueInvalid', field: '<nil>', message: 'some validation rules were not checked' },
  ];
  const error = refusedCall({ action: 'POST /', status: 422, body: { reason: 'Invalid', details: { causes } } });
  expect(error.details).toEqual([{ path: 'spec.a', message: 'too long' }]);
  expect(error.answer?.causes).toHaveLength(2);
});

test.each([
  ['7', { details: { retryAfterSeconds: 3 } }, 7],
  [undefined, { details: { retryAfterSeconds: 3 } }, 3],
  ['Wed, 21 Oct 2026 07:28:00 GMT', {}, undefined],
  ['-1', {}, undefined],
])('Retry-After %s with body %j is a wait of %s seconds', (retryAfter, body, want) => {
  expect(refusedCall({ action: 'GET /', status: 429, body, retryAfter }).retryAfterSeconds).toBe(want);
});

test('a watch that reports an expired version is gone', () => {
  expect(refusedWatch('WATCH', { code: 410, reason: 'Expired' }).code).toBe('gone');
  expect(refusedWatch('WATCH', undefined).code).toBe('unavailable');
});

test('a version that the server has not reached is recognised', () => {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  expect(isVersionTooLarge(refusedCall({ action: 'GET /', status: 504, body: { details: { causes } } }))).toBe(true);
});

test('a broken connection is unavailable, a mistake of the client internal', () => {
  const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  expect(isClusterError(failedConnection('GET /', reset), 'unavailable')).toBe(true);
  expect(isClusterError(failedConnection('GET /', new TypeError('x')), 'internal')).toBe(true);
});
