/** Numbers as text. */

const DECIMAL = /^[-+]?(?:\d+(?:[.]\d*)?|[.]\d+)(?:[eE][-+]?\d+)?$/;
const INFINITE = /^[-+]?Infinity$/;

/** Undefined if the text is not a decimal number. Empty text, spaces and hexadecimal numbers are not. */
export function parseDecimal(text: string): number | undefined {
  return DECIMAL.test(text) || INFINITE.test(text) ? Number(text) : undefined;
}
