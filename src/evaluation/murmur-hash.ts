/** MurmurHash3 (x86, 32 bit) of UTF-8 text. */

const [C1, C2] = [0xcc9e2d51, 0x1b873593];

/** A hash in progress over `length` bytes: `pending` holds those that do not fill a block of four yet. */
interface Progress {
  readonly hash: number;
  readonly pending: number;
  readonly length: number;
}

/** The hash of `prefix` followed by a text, as an unsigned integer. The prefix is processed once. */
export function hashAfter(prefix: string, seed: number): (text: string) => number {
  const start = addText({ hash: seed, pending: 0, length: 0 }, prefix);
  return (text) => finish(addText(start, text));
}

function addText({ hash, pending, length }: Progress, text: string): Progress {
  const bytes = toBytes(text);
  let [mixed, block, at] = [hash, pending, length];
  for (let index = 0; index < bytes.length; index += 1) {
    const shift = 8 * (at & 3);
    block |= bytes.charCodeAt(index) << shift;
    at += 1;
    if (shift === 24) {
      mixed = (Math.imul(rotate(mixed ^ scramble(block), 13), 5) + 0xe6546b64) | 0;
      block = 0;
    }
  }
  return { hash: mixed, pending: block, length: at };
}

/** One byte for each character. */
function toBytes(text: string): string {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) return Buffer.from(text).toString('latin1');
  }
  return text;
}

function scramble(block: number): number {
  return Math.imul(rotate(Math.imul(block, C1), 15), C2);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function finish({ hash, pending, length }: Progress): number {
  let mixed = hash ^ scramble(pending) ^ length;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
