/** Answers in pieces are the answers as a whole. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerInTurns, jsonPieces } from '../../../../../src/http/server/answer/json-pieces.ts';
import { Representation, represent } from '../../../../../src/http/server/answer/representation.ts';
import { StreamedBody } from '../../../../../src/http/server/answer/send-pieces.ts';
import { turnsOfRequest } from '../../../../../src/runtime/turns.ts';

const scalar = fc.oneof(
  fc.string(),
  fc.double(),
  fc.constantFrom(undefined, null, true, new Date(0), () => 1),
);
const member = fc.oneof(scalar, fc.array(scalar), fc.dictionary(fc.string(), scalar));

test('joined, the pieces are the JSON of the value', () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), member), fc.array(member)), (value) => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value));
    }),
  );
});

test.each([[{ items: [1, 2] }], [[]], [{}], ['text'], [null], [new Date(0)]])(
  'a small answer is whole, with its ETag: %j',
  async (value) => {
    const answer = await answerInTurns(value, turnsOfRequest());
    expect(answer).toBeInstanceOf(Representation);
    expect(answer).toEqual(represent(value));
  },
);

test('a large list is streamed, and others have their turns meanwhile', async () => {
  const value = {
    before: 1,
    items: Array.from({ length: 100 }, () => Array.from({ length: 20_000 }, () => 0)),
    after: 2,
  };
  const answer = await answerInTurns(value, turnsOfRequest());
  if (!(answer instanceof StreamedBody)) throw new Error('it is whole');
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 0);
  const pieces: string[] = [];
  for await (const piece of answer.read(new AbortController().signal)) pieces.push(piece);
  clearInterval(counting);
  expect(pieces.join('')).toBe(JSON.stringify(value));
  expect(pieces.length).toBeGreaterThan(10);
  expect(turns).toBeGreaterThan(0);
});
