/** Ids of users and roles, as paths name them. */
import { z } from 'zod';
import { wirePositive } from './fields.ts';

/** Limits the digits so that the number can be shown as it was sent. */
const DIGITS = /^-?(0|[1-9][0-9]{0,15})$/;

/** A positive whole number in decimal digits. Any other text remains a text, and is refused as such. */
export function idInPath(description: string, example: number) {
  const number = (text: unknown) => (typeof text === 'string' && DIGITS.test(text) ? Number(text) : text);
  return z.preprocess(number, wirePositive.meta({ description, examples: [example] }));
}
