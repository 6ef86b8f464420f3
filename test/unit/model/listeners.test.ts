/** Listeners that throw, and listeners that come and go. */
import { expect, test } from 'vitest';
import { createListeners } from '../../../src/model/listeners.ts';

test('what a listener throws is reported, and the others are called, in their order', () => {
  const faults: unknown[] = [];
  const listeners = createListeners<[name: string]>((error) => faults.push(error));
  const [mistake, called] = [new Error('mistake'), [] as string[]];
  listeners.add((name) => called.push(`first ${name}`));
  listeners.add(() => {
    throw mistake;
  });
  listeners.add((name) => called.push(`last ${name}`));
  for (const name of ['a', 'b']) listeners.call(name);
  expect(called).toEqual(['first a', 'last a', 'first b', 'last b']);
  expect(faults).toEqual([mistake, mistake]);
});

test('a function that is added twice is called twice, until each is removed', () => {
  const listeners = createListeners(() => undefined);
  let calls = 0;
  const count = () => {
    calls += 1;
  };
  const removals = [listeners.add(count), listeners.add(count)];
  for (const remove of removals) {
    listeners.call();
    remove();
    remove();
  }
  listeners.call();
  expect(calls).toBe(3);
});
