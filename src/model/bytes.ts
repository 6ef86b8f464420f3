/**
 * Bytes that are kept, each in its own memory. `Buffer.from` and `Buffer.concat` take small buffers from blocks of 64
 * KiB, and a block lives as long as the last of them: a few kept bytes would keep a whole block.
 */
const COMMA = 0x2c;

/** The text in UTF-8. */
export function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

export function concat(pieces: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** JSON around a list whose items are already bytes. */
export function joined(head: string, items: readonly Buffer[], tail: string): Buffer {
  const [opening, closing] = [Buffer.from(head), Buffer.from(tail)];
  const ofItems = items.reduce((sum, { length }) => sum + length, Math.max(items.length - 1, 0));
  const bytes = Buffer.allocUnsafeSlow(opening.length + ofItems + closing.length);
  let at = opening.copy(bytes);
  items.forEach((item, index) => {
    if (index > 0) at = bytes.writeUInt8(COMMA, at);
    at += item.copy(bytes, at);
  });
  closing.copy(bytes, at);
  return bytes;
}
