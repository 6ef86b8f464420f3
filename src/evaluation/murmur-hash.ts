/** MurmurHash3 (x86, 32 bit) of UTF-8 text. */

const [C1, C2] = [0xcc9e2d51, 0x1b873593];

const utf8 = new TextEncoder();

/** A hash on its way: `pending` holds the bytes of `length` that do not fill a block of four yet. */
interface Progress {
  hash: number;
  pending: number;
  length: number;
}

/** The hash of `prefix` followed by a text, as an unsigned integer. The prefix is read once. */
export function hashAfter(prefix: string, seed: number): (text: string) => number {
  const start: Progress = { hash: seed, pending: 0, length: 0 };
  addText(start, prefix);
  return (text) => {
    const progress = { ...start };
    addText(progress, text);
    return finish(progress);
  };
}

function addText(progress: Progress, text: string): void {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) {
      for (const byte of utf8.encode(text.slice(at))) addByte(progress, byte);
      return;
    }
    addByte(progress, unit);
  }
}

function addByte(progress: Progress, byte: number): void {
  const shift = 8 * (progress.length & 3);
  progress.length += 1;
  progress.pending |= byte << shift;
  if (shift < 24) return;
  const mixed = progress.hash ^ scramble(progress.pending);
  progress.hash = (Math.imul(rotate(mixed, 13), 5) + 0xe6546b64) | 0;
  progress.pending = 0;
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
