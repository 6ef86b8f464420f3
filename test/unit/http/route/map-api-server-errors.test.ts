/** Refusals of the API server in the words of an error body. */
import { describe, expect, test } from 'vitest';
import { ClusterError, isKnownError, type KnownError, Refusal } from '../../../../src/errors.ts';
import { mapApiServerErrors } from '../../../../src/http/route/map-api-server-errors.ts';
import { refusedCall } from '../../../../src/kube/api/errors.ts';
import { detailMessage, detailPath } from '../../../../src/model/invalid-input.ts';

const at = ['environments', 'eu.west', 'strategies', undefined];
const wanted = () => ({ name: 'default', constraints: [{ contextName: 'a' }, { contextName: 'b' }] });

async function recorded(error: unknown): Promise<KnownError> {
  const answer = await mapApiServerErrors({ at, wanted }, Promise.reject(error)).catch((thrown: unknown) => thrown);
  if (isKnownError(answer)) return answer;
  throw answer;
}

function texts({ details }: KnownError) {
  return details.map((detail) => ({ path: detailPath(detail), message: detailMessage(detail) }));
}

function refused(...causes: readonly { readonly field: string; readonly message: string }[]): ClusterError {
  const body = { message: 'FeatureFlag.vexil.dev "f" is invalid: [many words]', details: { causes } };
  return refusedCall({ action: 'PATCH /apis/vexil.dev', status: 422, body });
}

test('a refused write', async () => {
  expect(await mapApiServerErrors({ at, wanted }, Promise.resolve('written'))).toBe('written');
});

describe('a field of the part that the body describes', () => {
  test.each([
    'spec.environments[eu.west].strategies[any].constraints[1]',
    'spec.environments.eu.west.strategies.any.constraints[1]',
  ])('%s is named as a place in the body, with its value', async (field) => {
    const error = await recorded(refused({ field, message: 'Invalid value: needs values' }));
    const { code, message } = error;
    const want = 'The `constraints.1` property is not valid: needs values. You sent {"contextName":"b"}.';
    expect([code, texts(error)]).toEqual(['invalid', [{ path: '/body/constraints/1', message: want }]]);
    expect(message).toContain(want);
    expect(message).not.toContain('/apis/');
  });

  test('of the part itself names the body', async () => {
    const field = 'spec.environments[eu.west].strategies[any]';
    const details = texts(await recorded(refused({ field, message: 'Invalid value: no' })));
    expect(details).toMatchObject([{ path: '/body', message: expect.stringContaining('The body is not valid: no.') }]);
  });

  test('of a missing value says so', async () => {
    const field = 'spec.environments[eu.west].strategies[any].title';
    const details = texts(await recorded(refused({ field, message: 'Invalid value: no' })));
    expect(details[0]?.message).toContain('You sent nothing.');
  });
});

test('of a field elsewhere keeps the name of the field', async () => {
  const field = 'spec.environments.eu.west.strategies';
  const details = texts(await recorded(refused({ field, message: 'Too many: 31: must have at most 30 items' })));
  const message = `The flag as a whole would not be valid: ${field}: Too many: 31: must have at most 30 items.`;
  expect(details).toEqual([{ path: field, message }]);
});

test('with a cause without a field, as from admission policies, keeps its text', async () => {
  const message = 'spec.description must be final';
  expect(texts(await recorded(refused({ field: '', message })))).toEqual([{ message }]);
});

test.each([
  ['without causes', refused()],
  ['not of the API server', new Refusal('invalid', 'ours', { details: [{ message: 'ours' }] })],
  ['of another code', new ClusterError('conflict', 'raced')],
])('%s is unchanged', async (_, error) => {
  expect(await recorded(error)).toBe(error);
});
