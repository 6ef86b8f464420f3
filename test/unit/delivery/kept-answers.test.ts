/** The caches of answers drop what nobody asks for any more. */
import { afterEach, expect, test, vi } from 'vitest';
import { KeptAnswers } from '../../../src/delivery/kept-answers.ts';

const MINUTE_MS = 60_000;
let now = 1;
const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
afterEach(() => clock.mockRestore());

test('an answer is dropped when nobody has asked for it in an hour, and another one is made', () => {
  const answers = new KeptAnswers<{ text: string }>({ max: 10 });
  answers.set('asked', { text: 'a' });
  answers.set('idle', { text: 'b' });
  for (let minute = 1; minute <= 90; minute += 1) {
    now += MINUTE_MS;
    expect(answers.get('asked')).toEqual({ text: 'a' });
  }
  answers.set('new', { text: 'c' });
  expect([...answers.keys()].toSorted()).toEqual(['asked', 'new']);
});
