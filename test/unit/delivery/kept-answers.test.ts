/** Answers are dropped when nobody asks for them any more. */
import { expect, test } from 'vitest';
import { keepAnswers } from '../../../src/delivery/kept-answers.ts';

const MINUTE_MS = 60_000;

test('an answer is dropped when nobody has asked for it in an hour, and another one is kept', () => {
  let now = 1;
  const answers = keepAnswers<{ text: string }>({ max: 10 }, () => now);
  answers.set('asked', { text: 'a' });
  answers.set('idle', { text: 'b' });
  for (let minute = 1; minute <= 90; minute += 1) {
    now += MINUTE_MS;
    expect(answers.get('asked')).toEqual({ text: 'a' });
  }
  answers.set('new', { text: 'c' });
  expect(answers.size).toBe(2);
  expect(answers.get('idle')).toBeUndefined();
});

test('an answer above the bound is kept alone', () => {
  const answers = keepAnswers<{ text: string }>({ maxSize: 100 });
  answers.set('small', { text: 'a' }, { size: 10 });
  const large = { text: 'b' };
  answers.set('large', large, { size: 101 });
  expect(answers.get('large')).toBe(large);
  expect(answers.size).toBe(1);
});
