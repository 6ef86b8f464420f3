/** MurmurHash3 (x86, 32 bit) of UTF-8 text. */

const [C1, C2] = [0xcc9e2d51, 0x1b873593];

/** The hash of `prefix` followed by a text, as an unsigned integer. The prefix is processed once. */
export function hashAfter(prefix: string, seed: number): (text: string) => number {
  const first = toBytes(prefix);
  const rest = first.length & 3;
  let start = seed;
  for (let at = 0; at < first.length - rest; at += 4) start = mix(start, blockOf(first.slice(at, at + 4)));
  const pending = blockOf(first.slice(first.length - rest));
  // Runs for each flag of each answer: without objects, which would have to be collected.
  return (text) => {
    const bytes = toBytes(text);
    let [mixed, block, at] = [start, pending, rest];
    for (let index = 0; index < bytes.length; index += 1) {
      block |= bytes.charCodeAt(index) << (8 * at);
      at = (at + 1) & 3;
      if (at > 0) continue;
      mixed = mix(mixed, block);
      block = 0;
    }
    return finish(mixed ^ scramble(block) ^ (first.length + bytes.length));
  };
}

/** Up to four bytes as a number, from the lowest up. */
function blockOf(bytes: string): number {
  let block = 0;
  for (let at = 0; at < bytes.length; at += 1) block |= bytes.charCodeAt(at) << (8 * at);
  return block;
}

function mix(hash: number, block: number): number {
  return (Math.imul(rotate(hash ^ scramble(block), 13), 5) + 0xe6546b64) | 0;
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

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
